/* What the programs in the kernel (kernel.bpf.c) give, as bytes of the ring buffer, and what they
 * are told. Included on both sides, so it includes nothing itself. */
#ifndef PL_SOURCE_KERNEL_EVENT_H
#define PL_SOURCE_KERNEL_EVENT_H

#define KERNEL_CALLS	  512 /* numbers of system calls that are known by table */
#define KERNEL_TEXT_BYTES 128
#define KERNEL_COMM_BYTES 16

/* The numbers of the kinds that a recording describes, from 1; EXEC is none of these. */
enum kernel_kind {
	KERNEL_SYSCALL = 1,
	KERNEL_OFF,
	KERNEL_WAKE,
	KERNEL_BLOCK,
	KERNEL_FAULT,
	KERNEL_SIGNAL,
	KERNEL_NET,
	KERNEL_EXEC
};

/* What an argument of a system call names, and in which one. */
enum kernel_names {
	KERNEL_NAMES_NOTHING,
	KERNEL_NAMES_PATH,    /* a text of the program */
	KERNEL_NAMES_FILE,    /* a descriptor */
	KERNEL_NAMES_ADDRESS, /* a struct sockaddr, its length is the next argument */
	KERNEL_NAMES_PROGRAM  /* a path that is not there any more when the call ends */
};

struct kernel_call {
	unsigned char names;	/* enum kernel_names */
	unsigned char argument; /* from 0 */
	unsigned char accepts;	/* its result is a new connection */
};

enum kernel_text {
	KERNEL_TEXT_NONE,
	KERNEL_TEXT_PATH,
	KERNEL_TEXT_FILE,
	KERNEL_TEXT_ADDRESS,
	KERNEL_TEXT_SOCKET
};

enum kernel_access { KERNEL_FAULT_READ, KERNEL_FAULT_WRITE, KERNEL_FAULT_EXECUTE };
enum kernel_signal {
	KERNEL_SIGNAL_SENT,	 /* to another one, or itself */
	KERNEL_SIGNAL_RECEIVED,	 /* from another one, or itself */
	KERNEL_SIGNAL_OF_KERNEL, /* received: of a fault, a timer, a child that ended */
	KERNEL_SIGNAL_DEFAULT,	 /* it takes effect: as signal(7) has it */
	KERNEL_SIGNAL_IGNORED,
	KERNEL_SIGNAL_HANDLED /* its handler runs */
};
enum kernel_net {
	KERNEL_NET_CONNECTED,
	KERNEL_NET_FAILED,
	KERNEL_NET_ACCEPTED,
	KERNEL_NET_RETRANSMITTED
};

struct kernel_event {
	unsigned int kind;
	unsigned int pid;	/* as the collector sees it */
	unsigned int native_id; /* as the thread itself sees it */
	unsigned int call;	/* number of the system call, + 1; 0: none */
	unsigned long long end_ns, duration_ns;
	union {
		struct {
			long long result;
			unsigned long long arguments[6];
			unsigned int unfinished; /* the thread ended in it */
			unsigned int text_kind, text_bytes;
			char text[KERNEL_TEXT_BYTES];
		} syscall;
		struct {
			unsigned long long ready_ns; /* of the duration: it could have run */
			unsigned int state;	     /* of the kernel's task; 0: it was preempted */
			unsigned int waker_pid, waker_id; /* 0: an interrupt */
			unsigned int by_timer;
			char waker[KERNEL_COMM_BYTES];
		} off;
		struct {
			unsigned int woken_pid, woken_id;
			char woken[KERNEL_COMM_BYTES];
		} wake;
		struct {
			unsigned long long queued_ns; /* of the duration: before the disk had it */
			unsigned long long sector;
			unsigned int bytes, operation, status; /* status 0: it is done */
			char disk[32];
		} block;
		struct {
			unsigned long long address;
			unsigned int access;	   /* enum kernel_access */
			unsigned int is_protected; /* the page is there, and does not allow it */
			unsigned int in_kernel;	   /* while it ran for the program */
		} fault;
		struct {
			unsigned int number, what; /* enum kernel_signal */
			unsigned int pid, id;	   /* of the other one; 0: the kernel */
			char comm[KERNEL_COMM_BYTES];
		} signal;
		struct {
			unsigned int what; /* enum kernel_net */
			char near[28], far[28];
		} net;
	};
};

/* A process that is looked at. */
struct kernel_followed {
	unsigned int pid;    /* as the collector sees it */
	unsigned int nested; /* it has a PID namespace of its own */
	unsigned long long lost;
};

#endif
