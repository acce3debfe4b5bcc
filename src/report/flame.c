#include "report/flame.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/units.h"
#include "base/utf8.h"

/* Pixels. NARROW: a frame that is narrower cannot be seen, and is left out with all above it, so
 * that the size of the file is bounded by the width, not by the length of the recording. */
#define WIDTH	   1200
#define ROW	   17
#define TOP	   46
#define FOOT	   24
#define NARROW	   0.1 /* pixels */
#define NAME_BYTES 512
#define LINE_MAX   60000 /* bytes of a collapsed line: deeper frames are left out */

/* ---- names ---- */

/* The path would fill the frame; its last part is enough to tell files apart by eye. */
static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash && slash[1] ? slash + 1 : file;
}

/* Control bytes are shown as ?. A long name is cut. */
static void write_name(const struct tree_node *n, char name[NAME_BYTES])
{
	if (n->code)
		snprintf(name, NAME_BYTES, "%s (%s:%" PRId32 ")%s%s", pl_code_name(n->code),
			base_name(pl_code_file(n->code)), pl_code_first_line(n->code),
			n->task ? " in " : "", n->task ? n->task : "");
	else
		snprintf(name, NAME_BYTES, "%s", n->label ? n->label : "all");
	for (unsigned char *c = (unsigned char *)name; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			*c = '?';
}

/* U+FFFE and U+FFFF are not allowed in XML. */
static size_t character(const char *at, size_t left)
{
	size_t n = utf8_bytes((const unsigned char *)at, left);

	return n == 3 && !memcmp(at, "\xef\xbf", 2) && (unsigned char)at[2] >= 0xbe ? 0 : n;
}

/* Escaped for XML; bytes that are not UTF-8 are shown as ?. */
static void put_xml(struct pl_buf *b, const char *text)
{
	for (size_t left = strlen(text), n; left; text += n, left -= n) {
		const char c = *text;
		n = (unsigned char)c >= 0x80 ? character(text, left) : 1;
		if (!n)
			buf_u8(b, '?');
		else if (c == '&')
			buf_put(b, "&amp;", 5);
		else if (c == '<')
			buf_put(b, "&lt;", 4);
		else if (c == '>')
			buf_put(b, "&gt;", 4);
		else if (c == '"')
			buf_put(b, "&quot;", 6);
		else
			buf_put(b, text, n);
		n += !n;
	}
}

/* ---- the picture ---- */

struct drawing {
	const struct tree *tree;
	const struct flame_sink *to;
	struct pl_buf bytes;
	double scale; /* pixels per ns */
	uint32_t depth;
};

/* The picture is written piece by piece: it is never in memory as a whole. */
static void flush(struct drawing *d)
{
	if (!d->bytes.failed)
		d->to->put(d->to->context, (const char *)d->bytes.at, d->bytes.used);
	d->bytes.used = 0;
}

/* A colour from yellow to red that depends on the file, so that frames of one file look alike. */
static void put_colour(struct pl_buf *b, const struct tree_node *n)
{
	const char *file = n->code ? pl_code_file(n->code) : "";
	uint64_t hash = hash_bytes(file, strlen(file));
	uint64_t own = 0;

	if (n->code)
		own = hash_bytes(pl_code_name(n->code), strlen(pl_code_name(n->code)));
	buf_printf(b, "hsl(%u,%u%%,%u%%)", (unsigned)(hash % 56), 62 + (unsigned)(own % 20),
		60 + (unsigned)(own / 20 % 14));
}

/* A frame is a group: its data-… are for the script, its title is the browser's tooltip, then the
 * box and as much of the name as fits at about 7 pixels a letter. Numbers are in the file as they
 * are, so it can be searched without the script. */
static void draw(struct drawing *d, const struct tree_node *n, double x)
{
	char name[NAME_BYTES], whole[UNITS_BYTES], own[UNITS_BYTES];
	const double width = (double)n->cumulated_ns * d->scale;
	const double all = (double)d->tree->nodes[0].cumulated_ns;
	struct pl_buf *b = &d->bytes;

	write_name(n, name);
	buf_printf(b, "<g data-x=\"%.2f\" data-w=\"%.2f\" data-d=\"%" PRIu32 "\"><title>", x, width,
		n->depth);
	put_xml(b, name);
	units_duration(whole, n->cumulated_ns);
	units_duration(own, n->own_ns);
	buf_printf(b, "&#10;%s, %.1f%%; own %s; %" PRIu64 " calls", whole,
		all > 0 ? 100 * (double)n->cumulated_ns / all : 0, own, n->calls);
	if (n->resumes || n->throws)
		buf_printf(b, ", %" PRIu64 " resumes, %" PRIu64 " throws", n->resumes, n->throws);
	if (n->recursive)
		buf_printf(b, "; recursion");
	buf_printf(b,
		"</title><rect x=\"%.2f\" y=\"%" PRIu32 "\" width=\"%.2f\" height=\"%d\" fill=\"",
		x, TOP + n->depth * ROW, width, ROW - 1);
	put_colour(b, n);
	buf_printf(b, "\"/><text x=\"%.2f\" y=\"%" PRIu32 "\">", x + 3, TOP + n->depth * ROW + 12);
	if (width > 20) {
		char cut[NAME_BYTES];
		snprintf(cut, sizeof cut, "%.*s", (int)(width / 7), name);
		put_xml(b, cut);
	}
	buf_printf(b, "</text></g>\n");
	if (b->used > 1u << 16)
		flush(d);
}

/* Depth first without recursion: the tree can be as deep as it has nodes. */
static int draw_all(struct drawing *d)
{
	const struct tree_node *nodes = d->tree->nodes;
	struct pl_buf ends = {0}; /* doubles: where each node's next child begins */
	double x = 0;
	uint32_t i = 0;

	for (;;) {
		const double width = (double)nodes[i].cumulated_ns * d->scale;
		uint32_t next = 0;
		if (width >= NARROW) {
			draw(d, &nodes[i], x);
			next = nodes[i].first_child;
		}
		if (next) {
			buf_put(&ends, &x, sizeof x);
			i = next;
			continue;
		}
		x += width;
		while (i && !nodes[i].next) {
			double begin;
			i = nodes[i].parent;
			ends.used -= sizeof begin;
			memcpy(&begin, ends.at + ends.used, sizeof begin);
			x = begin + (double)nodes[i].cumulated_ns * d->scale;
		}
		if (!i || ends.failed)
			break;
		i = nodes[i].next;
	}
	int code = ends.failed ? PL_ERR_MEMORY : 0;
	buf_release(&ends);
	return code;
}

/* The height of the picture depends on the deepest frame that is wide enough to be drawn. */
static uint32_t drawn_depth(const struct drawing *d)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i < d->tree->count; i++)
		if ((double)d->tree->nodes[i].cumulated_ns * d->scale >= NARROW &&
			d->tree->nodes[i].depth > depth)
			depth = d->tree->nodes[i].depth;
	return depth;
}

static const char style[] =
	"<style>text{font:12px "
	"monospace;fill:#111;pointer-events:none}rect{stroke:#fff;stroke-width:.3}"
	"g{cursor:pointer}g:hover rect{stroke:#000;stroke-width:1}g.hit rect{fill:#a6c8ff}"
	"g.below{opacity:.45}.title{font-size:15px}.key{pointer-events:all;cursor:pointer;fill:#"
	"06c}</style>\n";

/* data-x and data-w have the place of each frame; zooming moves and stretches the frames inside. */
static const char script[] =
	"<script><![CDATA[\n"
	"const W=1200,R=document.documentElement,G=[...R.querySelectorAll('g[data-d]')];\n"
	"const num=(g,k)=>parseFloat(g.getAttribute('data-'+k));\n"
	"const name=g=>g.querySelector('title').textContent;\n"
	"const say=t=>{R.querySelector('#say').textContent=t};\n"
	"function zoom(to){const x=num(to,'x'),w=num(to,'w'),d=num(to,'d'),k=W/w,e=0.01;\n"
	" for(const g of G){const gx=num(g,'x'),gw=num(g,'w'),below=num(g,'d')<d;\n"
	"  const within=below?gx<=x+e&&gx+gw>=x+w-e:gx>=x-e&&gx+gw<=x+w+e;\n"
	"  "
	"g.style.display=within?'':'none';g.classList.toggle('below',below);if(!within)continue;\n"
	"  const "
	"nx=below?0:(gx-x)*k,nw=below?W:gw*k,r=g.querySelector('rect'),t=g.querySelector('text');\n"
	"  r.setAttribute('x',nx);r.setAttribute('width',nw);t.setAttribute('x',nx+3);\n"
	"  t.textContent=nw>20?name(g).split('\\n')[0].slice(0,Math.floor(nw/7)):'';}}\n"
	"function search(word){let ns=0;for(const g of G){const "
	"hit=word!==''&&name(g).split('\\n')[0].includes(word);\n"
	"  g.classList.toggle('hit',hit);}\n"
	" const hits=G.filter(g=>g.classList.contains('hit'));\n"
	" const "
	"top=hits.filter(g=>!hits.some(h=>num(h,'d')<num(g,'d')&&num(h,'x')<=num(g,'x')+.01&&num(h,"
	"'x')+num(h,'w')>=num(g,'x')+num(g,'w')-.01));\n"
	" for(const g of top)ns+=num(g,'w');say(word===''?'':word+': "
	"'+(100*ns/W).toFixed(2)+'%');}\n"
	"function ask(){const word=prompt('Search for a function or "
	"file:');if(word!==null)search(word);}\n"
	"for(const g of "
	"G){g.addEventListener('click',()=>zoom(g));g.addEventListener('mouseover',()=>say(name(g)."
	"replace('\\n','  ')));}\n"
	"R.querySelector('#all').addEventListener('click',()=>{search('');zoom(G[0])});\n"
	"R.querySelector('#find').addEventListener('click',ask);\n"
	"window.addEventListener('keydown',e=>{if(e.key==='Escape')zoom(G[0]);if(e.key==='/"
	"'||(e.ctrlKey&&e.key==='f')){e.preventDefault();ask();}});\n"
	"]]></script>\n";

/* The parts of the file, in this order:
 *
 *	head      size, title, style
 *	title     with the words "all" and "search", and where the script says what is found
 *	frames    the root at the top, callees below it
 *	script    zoom, search, what the mouse is over
 *
 * Without the script, as in a viewer of pictures, all but that works.
 */
int flame_svg(const struct tree *t, const char *title, const struct flame_sink *to)
{
	const int64_t all = t->count ? t->nodes[0].cumulated_ns : 0;
	struct drawing d = {.tree = t, .to = to, .scale = all > 0 ? WIDTH / (double)all : 0};
	struct pl_buf *b = &d.bytes;

	d.depth = drawn_depth(&d);
	uint32_t height = TOP + (d.depth + 1) * ROW + FOOT;
	buf_printf(b,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
		"xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%" PRIu32 "\" viewBox=\"0 0 %d %" PRIu32 "\">\n<title>",
		WIDTH, height, WIDTH, height);
	put_xml(b, title);
	buf_printf(b, "</title>\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfdfa\"/>\n",
		style);
	buf_printf(b, "<text class=\"title\" x=\"4\" y=\"18\">");
	put_xml(b, title);
	buf_printf(b, "</text>\n<text class=\"key\" id=\"all\" x=\"4\" y=\"38\">all</text>"
		      "<text class=\"key\" id=\"find\" x=\"40\" y=\"38\">search</text>"
		      "<text id=\"say\" x=\"110\" y=\"38\"></text>\n");
	int code = all > 0 ? draw_all(&d) : 0;
	buf_put(b, script, sizeof script - 1);
	buf_printf(b, "</svg>\n");
	if (b->failed)
		code = PL_ERR_MEMORY;
	flush(&d);
	buf_release(b);
	return code;
}

/* ---- lines ---- */

/* "main;work;half 4711": the format of flamegraph.pl, in which ; separates frames. false: the line
 * is too long already, so this frame is left out. */
static bool put_path(const struct tree *t, uint32_t node, struct pl_buf *path)
{
	char name[NAME_BYTES];

	write_name(&t->nodes[node], name);
	for (char *c = name; *c; c++)
		if (*c == ';')
			*c = ',';
	if (path->used + strlen(name) > LINE_MAX)
		return false;
	if (path->used)
		buf_u8(path, ';');
	buf_put(path, name, strlen(name));
	return true;
}

/* Own time in whole microseconds; a node without any has no line. */
static void put_line(
	const struct tree_node *n, const struct pl_buf *path, const struct flame_sink *to)
{
	char number[32];
	const int64_t us = (n->own_ns + 500) / 1000;

	if (us <= 0)
		return;
	snprintf(number, sizeof number, " %" PRId64 "\n", us);
	to->put(to->context, path->used ? (const char *)path->at : "(no Python)",
		path->used ? path->used : 11);
	to->put(to->context, number, strlen(number));
}

/* Depth first, as in draw_all: `path` has the line of the node, and is cut back to a node's length
 * when its children are done. */
int flame_collapsed(const struct tree *t, const struct flame_sink *to)
{
	struct pl_buf path = {0},
		      lengths = {0}; /* lengths of the path before each node on the way */
	uint32_t i = 0;

	while (t->count && !path.failed && !lengths.failed) {
		const size_t before = path.used;
		buf_put(&lengths, &before, sizeof before);
		if (i)
			put_path(t, i, &path);
		put_line(&t->nodes[i], &path, to);
		if (t->nodes[i].first_child) {
			i = t->nodes[i].first_child;
			continue;
		}
		for (;; i = t->nodes[i].parent) {
			lengths.used -= sizeof before;
			memcpy(&path.used, lengths.at + lengths.used, sizeof path.used);
			if (!i || t->nodes[i].next)
				break;
		}
		if (!i)
			break;
		i = t->nodes[i].next;
	}
	int code = path.failed || lengths.failed ? PL_ERR_MEMORY : 0;
	buf_release(&path);
	buf_release(&lengths);
	return code;
}
