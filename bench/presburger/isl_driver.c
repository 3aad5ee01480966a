/* Times and answers operations of the isl inside libLLVM, for scripts/bench-presburger.
 * In:  lines on standard input, each answered by one line:
 *        input S|M TEXT            remembers a set or map under the next number, from 0     -> number
 *        time OPERATION A B        nanoseconds per call on inputs A and B (B is -1 if unused) -> number
 *        result OPERATION A B      the result as text
 *        check OPERATION A B TEXT  whether TEXT is a right answer                            -> same | different
 * Every call that is timed sees operands read afresh, so that nothing remembered in an object by an earlier call counts. Operands
 * are kept (passed as isl_*_copy), results are freed inside the timed part. isl's own headers are not needed: what is called is
 * declared here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct isl_ctx isl_ctx;
typedef struct isl_space isl_space;
typedef struct isl_set isl_set;
typedef struct isl_map isl_map;
typedef struct isl_basic_set isl_basic_set;
typedef struct isl_point isl_point;
typedef struct isl_val isl_val;
enum dim_type { dim_param = 1, dim_in = 2, dim_set = 3, dim_out = 3 };
typedef enum { no = 0, yes = 1 } truth;

isl_ctx *isl_ctx_alloc(void);
void isl_ctx_free(isl_ctx *);
void isl_options_set_on_error(isl_ctx *, int);
isl_set *isl_set_read_from_str(isl_ctx *, const char *);
isl_map *isl_map_read_from_str(isl_ctx *, const char *);
char *isl_set_to_str(isl_set *);
char *isl_map_to_str(isl_map *);
isl_set *isl_set_copy(isl_set *);
isl_map *isl_map_copy(isl_map *);
isl_set *isl_set_free(isl_set *);
isl_map *isl_map_free(isl_map *);
isl_space *isl_set_get_space(isl_set *);
int isl_set_dim(isl_set *, enum dim_type);
int isl_map_dim(isl_map *, enum dim_type);

isl_set *isl_set_intersect(isl_set *, isl_set *);
isl_set *isl_set_union(isl_set *, isl_set *);
isl_set *isl_set_subtract(isl_set *, isl_set *);
isl_set *isl_set_gist(isl_set *, isl_set *);
isl_set *isl_set_complement(isl_set *);
isl_set *isl_set_lexmin(isl_set *);
isl_set *isl_set_lexmax(isl_set *);
isl_set *isl_set_coalesce(isl_set *);
isl_set *isl_set_compute_divs(isl_set *);
isl_set *isl_set_params(isl_set *);
isl_set *isl_set_project_out(isl_set *, enum dim_type, unsigned, unsigned);
isl_set *isl_set_apply(isl_set *, isl_map *);
isl_basic_set *isl_set_affine_hull(isl_set *);
isl_basic_set *isl_set_simple_hull(isl_set *);
isl_set *isl_set_from_basic_set(isl_basic_set *);
isl_set *isl_set_remove_divs(isl_set *);
isl_set *isl_set_reset_tuple_id(isl_set *);
isl_map *isl_map_reset_tuple_id(isl_map *, enum dim_type);
isl_point *isl_set_sample_point(isl_set *);
isl_set *isl_set_from_point(isl_point *);
truth isl_set_is_empty(isl_set *);
truth isl_set_is_equal(isl_set *, isl_set *);
truth isl_set_is_subset(isl_set *, isl_set *);
truth isl_set_is_disjoint(isl_set *, isl_set *);

isl_map *isl_map_intersect(isl_map *, isl_map *);
isl_map *isl_map_union(isl_map *, isl_map *);
isl_map *isl_map_subtract(isl_map *, isl_map *);
isl_map *isl_map_gist(isl_map *, isl_map *);
isl_map *isl_map_lexmin(isl_map *);
isl_map *isl_map_lexmax(isl_map *);
isl_map *isl_map_coalesce(isl_map *);
isl_map *isl_map_compute_divs(isl_map *);
isl_map *isl_map_reverse(isl_map *);
isl_map *isl_map_project_out(isl_map *, enum dim_type, unsigned, unsigned);
isl_map *isl_map_apply_range(isl_map *, isl_map *);
isl_map *isl_map_apply_domain(isl_map *, isl_map *);
isl_map *isl_map_intersect_domain(isl_map *, isl_set *);
isl_map *isl_map_intersect_range(isl_map *, isl_set *);
isl_map *isl_map_fixed_power_val(isl_map *, isl_val *);
isl_val *isl_val_int_from_si(isl_ctx *, long);
isl_map *isl_map_lex_lt(isl_space *);
isl_map *isl_map_lex_le(isl_space *);
isl_set *isl_map_domain(isl_map *);
isl_set *isl_map_range(isl_map *);
isl_set *isl_map_deltas(isl_map *);
truth isl_map_is_empty(isl_map *);
truth isl_map_is_equal(isl_map *, isl_map *);
truth isl_map_is_subset(isl_map *, isl_map *);
truth isl_map_is_disjoint(isl_map *, isl_map *);
truth isl_map_is_single_valued(isl_map *);

/* A set, a map, a yes or no, or a text. */
struct value {
    char kind;
    isl_set *set;
    isl_map *map;
    truth yes;
    char *text;
};

static isl_ctx *ctx;

static struct value of_set(isl_set *s) { return (struct value){.kind = 'S', .set = s}; }
static struct value of_map(isl_map *m) { return (struct value){.kind = 'M', .map = m}; }
static struct value of_truth(truth t) { return (struct value){.kind = 'B', .yes = t}; }
static struct value of_text(char *t) { return (struct value){.kind = 'T', .text = t}; }
static struct value of_point(isl_point *p) { return of_set(isl_set_from_point(p)); }

static struct value read_value(char kind, const char *text) {
    return kind == 'S' ? of_set(isl_set_read_from_str(ctx, text)) : of_map(isl_map_read_from_str(ctx, text));
}

static void release(struct value v) {
    if (v.kind == 'S')
        isl_set_free(v.set);
    if (v.kind == 'M')
        isl_map_free(v.map);
    if (v.kind == 'T')
        free(v.text);
}

static char *to_text(struct value v) {
    if (v.kind == 'S')
        return isl_set_to_str(v.set);
    if (v.kind == 'M')
        return isl_map_to_str(v.map);
    return strdup(v.kind == 'T' ? v.text : v.yes ? "true" : "false");
}

/* What an operation reads; `text` is that of the first operand. */
struct operands {
    struct value a, b;
    const char *text;
};

#define A isl_set_copy(o->a.set)
#define B isl_set_copy(o->b.set)
#define F isl_map_copy(o->a.map)
#define G isl_map_copy(o->b.map)
typedef struct value (*operation)(struct operands *o);
#define OP(name, expr) static struct value name(struct operands *o) { return expr; }

OP(s_parse, of_set(isl_set_read_from_str(ctx, o->text)))
OP(s_print, of_text(isl_set_to_str(o->a.set)))
OP(s_intersect, of_set(isl_set_intersect(A, B)))
OP(s_union, of_set(isl_set_union(A, B)))
OP(s_subtract, of_set(isl_set_subtract(A, B)))
OP(s_gist, of_set(isl_set_gist(A, B)))
OP(s_complement, of_set(isl_set_complement(A)))
OP(s_lexmin, of_set(isl_set_lexmin(A)))
OP(s_lexmax, of_set(isl_set_lexmax(A)))
OP(s_coalesce, of_set(isl_set_coalesce(A)))
OP(s_compute_divs, of_set(isl_set_compute_divs(A)))
OP(s_params, of_set(isl_set_params(A)))
OP(s_project_first, of_set(isl_set_project_out(A, dim_set, 0, 1)))
OP(s_project_last, of_set(isl_set_project_out(A, dim_set, isl_set_dim(o->a.set, dim_set) - 1, 1)))
OP(s_apply, of_set(isl_set_apply(A, G)))
OP(s_affine_hull, of_set(isl_set_from_basic_set(isl_set_affine_hull(A))))
OP(s_simple_hull, of_set(isl_set_from_basic_set(isl_set_simple_hull(A))))
OP(s_sample, of_point(isl_set_sample_point(A)))
OP(s_is_empty, of_truth(isl_set_is_empty(o->a.set)))
OP(s_is_equal, of_truth(isl_set_is_equal(o->a.set, o->b.set)))
OP(s_is_subset, of_truth(isl_set_is_subset(o->a.set, o->b.set)))
OP(s_is_disjoint, of_truth(isl_set_is_disjoint(o->a.set, o->b.set)))
OP(s_lex_lt, of_map(isl_map_lex_lt(isl_set_get_space(o->a.set))))
OP(s_lex_le, of_map(isl_map_lex_le(isl_set_get_space(o->a.set))))
OP(m_parse, of_map(isl_map_read_from_str(ctx, o->text)))
OP(m_print, of_text(isl_map_to_str(o->a.map)))
OP(m_intersect, of_map(isl_map_intersect(F, G)))
OP(m_union, of_map(isl_map_union(F, G)))
OP(m_subtract, of_map(isl_map_subtract(F, G)))
OP(m_gist, of_map(isl_map_gist(F, G)))
OP(m_lexmin, of_map(isl_map_lexmin(F)))
OP(m_lexmax, of_map(isl_map_lexmax(F)))
OP(m_coalesce, of_map(isl_map_coalesce(F)))
OP(m_compute_divs, of_map(isl_map_compute_divs(F)))
OP(m_reverse, of_map(isl_map_reverse(F)))
OP(m_project_first, of_map(isl_map_project_out(F, dim_in, 0, 1)))
OP(m_project_last, of_map(isl_map_project_out(F, dim_out, isl_map_dim(o->a.map, dim_out) - 1, 1)))
OP(m_apply_range, of_map(isl_map_apply_range(F, G)))
OP(m_apply_domain, of_map(isl_map_apply_domain(F, G)))
OP(m_intersect_domain, of_map(isl_map_intersect_domain(F, B)))
OP(m_intersect_range, of_map(isl_map_intersect_range(F, B)))
OP(m_fixed_power, of_map(isl_map_fixed_power_val(F, isl_val_int_from_si(ctx, 3))))
OP(m_domain, of_set(isl_map_domain(F)))
OP(m_range, of_set(isl_map_range(F)))
OP(m_deltas, of_set(isl_map_deltas(F)))
OP(m_is_empty, of_truth(isl_map_is_empty(o->a.map)))
OP(m_is_equal, of_truth(isl_map_is_equal(o->a.map, o->b.map)))
OP(m_is_subset, of_truth(isl_map_is_subset(o->a.map, o->b.map)))
OP(m_is_disjoint, of_truth(isl_map_is_disjoint(o->a.map, o->b.map)))
OP(m_is_single_valued, of_truth(isl_map_is_single_valued(o->a.map)))

#define ROW(kind, name) {#kind ":" #name, kind##_##name}
static const struct {
    const char *name;
    operation run;
} operations[] = {
    ROW(s, parse), ROW(s, print), ROW(s, intersect), ROW(s, union), ROW(s, subtract), ROW(s, gist), ROW(s, complement),
    ROW(s, lexmin), ROW(s, lexmax), ROW(s, coalesce), ROW(s, compute_divs), ROW(s, params), ROW(s, project_first),
    ROW(s, project_last), ROW(s, apply), ROW(s, affine_hull), ROW(s, simple_hull), ROW(s, sample), ROW(s, is_empty),
    ROW(s, is_equal), ROW(s, is_subset), ROW(s, is_disjoint), ROW(s, lex_lt), ROW(s, lex_le), ROW(m, parse), ROW(m, print),
    ROW(m, intersect), ROW(m, union), ROW(m, subtract), ROW(m, gist), ROW(m, lexmin), ROW(m, lexmax), ROW(m, coalesce),
    ROW(m, compute_divs), ROW(m, reverse), ROW(m, project_first), ROW(m, project_last), ROW(m, apply_range), ROW(m, apply_domain),
    ROW(m, intersect_domain), ROW(m, intersect_range), ROW(m, fixed_power), ROW(m, domain), ROW(m, range), ROW(m, deltas),
    ROW(m, is_empty), ROW(m, is_equal), ROW(m, is_subset), ROW(m, is_disjoint), ROW(m, is_single_valued),
};

static operation find(const char *name) {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (!strcmp(operations[i].name, name))
            return operations[i].run;
    fprintf(stderr, "unknown operation %s\n", name);
    exit(2);
}

/* The inputs as they came. */
static struct { char kind; char *text; } *inputs;
static int n_inputs;

static void read_operands(struct operands *o, int a, int b) {
    o->text = inputs[a].text;
    o->a = read_value(inputs[a].kind, inputs[a].text);
    o->b = b < 0 ? (struct value){.kind = '-'} : read_value(inputs[b].kind, inputs[b].text);
}

static void release_operands(struct operands *o) {
    release(o->a);
    release(o->b);
}

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A large batch where calls are so short that reading the clock would be most of what 8 of them take. */
enum { BATCH = 8, LARGE_BATCH = 64, MOST_BATCHES = 7 };
static const double ENOUGH_NS = 100e3, SHORT_NS = 100;

/* Median over batches of the nanoseconds per call, each behind one call that does not count, so that the code is in the cache. */
static double time_ns(operation run, int a, int b) {
    struct operands list[LARGE_BATCH + 1];
    double times[MOST_BATCHES], total = 0;
    int n = 0, size = BATCH;
    while (n < MOST_BATCHES && (n < 3 || total < ENOUGH_NS)) {
        for (int i = 0; i <= size; i++)
            read_operands(&list[i], a, b);
        release(run(&list[size]));
        double start = now_ns();
        for (int i = 0; i < size; i++)
            release(run(&list[i]));
        double spent = now_ns() - start;
        for (int i = 0; i <= size; i++)
            release_operands(&list[i]);
        if (size == BATCH && spent < SHORT_NS * BATCH) {
            size = LARGE_BATCH;
            n = 0;
            continue;
        }
        times[n++] = spent / size;
        total += spent;
    }
    qsort(times, n, sizeof *times, by_value);
    return times[n / 2];
}

static isl_map *unnamed(isl_map *m) {
    return isl_map_reset_tuple_id(isl_map_reset_tuple_id(isl_map_copy(m), dim_in), dim_out);
}

/* Tuple names, which isl drops in projections and differences, and hulls, are allowed to differ as each branch says. */
static int agrees(const char *name, struct operands *o, struct value want, const char *text) {
    if (want.kind == 'B' || want.kind == 'T')
        return want.kind == 'T' || !strcmp(text, want.yes ? "true" : "false");
    struct value got = read_value(want.kind, text);
    if (want.kind == 'M' ? !got.map : !got.set)
        return 0;
    int same;
    if (!strcmp(name, "s:sample"))
        same = isl_set_is_subset(got.set, o->a.set) && isl_set_is_empty(got.set) == isl_set_is_empty(o->a.set);
    else if (!strcmp(name, "s:simple_hull")) /* any conjunction around the set; tighter or looser than isl's */
        same = isl_set_is_subset(o->a.set, got.set);
    else if (!strcmp(name, "s:affine_hull")) { /* isl keeps strides */
        isl_set *plain = isl_set_remove_divs(isl_set_copy(want.set));
        same = isl_set_is_subset(want.set, got.set) && isl_set_is_equal(plain, got.set);
        isl_set_free(plain);
    } else if (!strcmp(name, "s:gist") || !strcmp(name, "m:gist")) {
        if (want.kind == 'S') {
            isl_set *x = isl_set_intersect(isl_set_copy(got.set), B), *y = isl_set_intersect(A, B);
            same = isl_set_is_equal(x, y);
            isl_set_free(x), isl_set_free(y);
        } else {
            isl_map *x = isl_map_intersect(isl_map_copy(got.map), G), *y = isl_map_intersect(F, G);
            same = isl_map_is_equal(x, y);
            isl_map_free(x), isl_map_free(y);
        }
    } else if (want.kind == 'M') {
        isl_map *x = unnamed(want.map), *y = unnamed(got.map);
        same = isl_map_is_equal(x, y);
        isl_map_free(x), isl_map_free(y);
    } else {
        isl_set *x = isl_set_reset_tuple_id(isl_set_copy(want.set)), *y = isl_set_reset_tuple_id(isl_set_copy(got.set));
        same = isl_set_is_equal(x, y);
        isl_set_free(x), isl_set_free(y);
    }
    release(got);
    return same == 1;
}

static void remember(const char *line) {
    inputs = realloc(inputs, (n_inputs + 1) * sizeof *inputs);
    inputs[n_inputs].kind = line[0];
    inputs[n_inputs].text = strdup(line + 2);
    struct value v = read_value(line[0], line + 2);
    printf("%d\n", v.kind == 'S' ? (v.set ? n_inputs : -1) : v.map ? n_inputs : -1);
    release(v);
    n_inputs++;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    ctx = isl_ctx_alloc();
    while (getline(&line, &room, stdin) > 0) {
        char verb[16], name[32];
        int a, b, used = 0;
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "input ", 6))
            remember(line + 6);
        else if (sscanf(line, "%15s %31s %d %d %n", verb, name, &a, &b, &used) == 4) {
            struct operands o;
            operation run = find(name);
            if (!strcmp(verb, "time"))
                printf("%.1f\n", time_ns(run, a, b));
            else {
                read_operands(&o, a, b);
                struct value v = run(&o);
                char *text = to_text(v);
                puts(!strcmp(verb, "result") ? text : agrees(name, &o, v, line + used) ? "same" : "different");
                free(text), release(v), release_operands(&o);
            }
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
