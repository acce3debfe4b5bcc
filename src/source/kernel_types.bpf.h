/* Structures of the kernel, each with the fields that are read here, and no others. Where these
 * are is settled when the programs are loaded (CO-RE), so their order and their offsets mean
 * nothing. */
#ifndef PL_SOURCE_KERNEL_TYPES_BPF_H
#define PL_SOURCE_KERNEL_TYPES_BPF_H

#define LEVELS	       4 /* PID namespaces in each other */
#define MODE_TYPE      0170000
#define MODE_SOCKET    0140000
#define FAMILY_INET    2
#define FAMILY_INET6   10
#define SOCKADDR_BYTES 28

#define OF_KERNEL __attribute__((preserve_access_index))

struct ns_common {
	unsigned int inum;
} OF_KERNEL;
struct pid_namespace {
	struct ns_common ns;
} OF_KERNEL;
struct upid {
	int nr;
	struct pid_namespace *ns;
} OF_KERNEL;
struct pid {
	unsigned int level;
	struct upid numbers[LEVELS];
} OF_KERNEL;
struct qstr {
	const unsigned char *name;
} OF_KERNEL;
struct dentry {
	struct qstr d_name;
} OF_KERNEL;
struct path {
	struct dentry *dentry;
} OF_KERNEL;
struct inode {
	unsigned short i_mode;
} OF_KERNEL;
struct in6_addr {
	unsigned char bytes[16];
};
struct sock_common {
	unsigned short skc_family, skc_dport, skc_num;
	unsigned int skc_daddr, skc_rcv_saddr;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
} OF_KERNEL;
struct sock {
	struct sock_common __sk_common;
} OF_KERNEL;
struct socket {
	struct sock *sk;
} OF_KERNEL;
struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
} OF_KERNEL;
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} OF_KERNEL;
struct files_struct {
	struct fdtable *fdt;
} OF_KERNEL;
struct gendisk {
	char disk_name[32];
} OF_KERNEL;
struct request_queue {
	struct gendisk *disk;
} OF_KERNEL;
struct bvec_iter {
	unsigned long long bi_sector;
	unsigned int bi_size;
} OF_KERNEL;
struct bio {
	unsigned int bi_opf;
	struct bvec_iter bi_iter;
} OF_KERNEL;
struct request {
	struct request_queue *q;
	unsigned int cmd_flags, __data_len;
	unsigned long long __sector;
	struct bio *bio;
} OF_KERNEL;
struct kernel_siginfo {
	int si_code;
} OF_KERNEL;
struct sigaction {
	void *sa_handler;
} OF_KERNEL;
struct k_sigaction {
	struct sigaction sa;
} OF_KERNEL;
typedef struct {
	int counter;
} kernel_count;
struct signal_struct {
	kernel_count live;
} OF_KERNEL;
struct task_struct {
	int pid, tgid;
	unsigned int __state;
	char comm[16];
	struct task_struct *group_leader, *real_parent;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct files_struct *files;
} OF_KERNEL;
struct pt_regs {
	unsigned long di, si, dx, r10, r8, r9;
} OF_KERNEL;

#endif
