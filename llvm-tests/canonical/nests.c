// Functions none of whose loops may be part of a region that gains are told from their copy in SSA form, where nobody
// asks why: loops that end on data, by themselves or around others, be it in a place that they write themselves; loops
// that always call what no region can hold, or access arrays that are found by data; and what is left being one loop
// that writes once. The result is the same as where somebody asks.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='polyrs<time>' -S %t.ll -o %t.quick 2>&1 | FileCheck %s --check-prefix=QUICK
// RUN: %opt -passes='polyrs<time>' -pass-remarks-missed=polyrs -S %t.ll -o %t.asked 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: diff %t.quick %t.asked
// RUN: %opt -passes='polyrs<time;only-func=may_.*>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=MAY

// QUICK: 26 functions cloned
// QUICK: 12 functions in canonical form
// ASKED: 28 functions cloned
// ASKED: 28 functions in canonical form
// MAY: 12 functions cloned
// MAY: 12 functions in canonical form

void abort(void);
void use(void *);
struct node {
  struct node *next;
  double *row;
  int n;
};

// Strings: both loops end on data.
void words(char *to, const char *from) {
  while (*from) {
    while (*from && *from != ' ')
      *to++ = *from++;
    *to++ = 0;
    from++;
  }
}

// A list of rows: what is in each iteration of the list's is one loop that writes once.
void lists(struct node *p) {
  for (; p; p = p->next)
    for (int i = 0; i < p->n; i++)
      p->row[i] *= 2;
}

// A heap: the position is data.
void sift(double *a, int n, const int *kind) {
  for (int i = 0; kind[i] >= 0; i++)
    for (int k = i; k < n && kind[k] != 2; k = kind[k]) {
      a[k] = a[2 * k];
      a[2 * k] = 0;
    }
}

// Until it converges.
void converges(double *a, double *b) {
  double last = 1;
  for (int k = 0; last > 1e-9; k++) {
    last = a[k];
    b[0] = last;
    b[1] = last;
  }
  for (int i = 0; a[i] > last; i++)
    b[i] = 0;
}

// A call in each iteration of what is around.
void calls(double *a, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; a[j] > 0; j++)
      a[j] = a[j + 1];
    use(a);
  }
}

// Two loops, with what no region can hold between them.
void apart(double *a, double *b, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
  use(a);
  for (int i = 0; i < n; i++)
    b[i] = a[i] + 1;
}

// Ways of a machine that reads its next state: nothing leads from one loop to the other but through the loop around.
void machine(const unsigned char *state, double *a, int n) {
  for (; *state; state++)
    switch (*state) {
    case 1:
      for (int i = 0; i < n; i++)
        a[i] += 1;
      break;
    case 2:
      for (int i = 0; i < n; i++)
        a[i] *= 2;
      break;
    }
}

// A table that is filled, and a search in it.
int searches(int *table, long n, int x) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 100; j++)
      table[i * 100 + j] = 0;
  for (int i = 0; table[i] != x; i++)
    if (table[i] > x)
      return -1;
  return 1;
}

// A search with two ends: both are data.
int pairs(const int *a, int *found) {
  int k = 0;
  for (int i = 0; a[i]; i++)
    for (int j = i; a[j] != 1; j++)
      if (a[j] == 2)
        found[k++] = j;
  return k;
}

int puts(const char *);

// Messages: nothing is written that a region knows of.
void prints(const double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (a[i * n + j] > 0)
        puts("positive");
}

struct stream {
  struct node *all;
  int left;
};

// A counter in memory.
void drains(struct stream *s, double *a, double *b) {
  while (s->left > 0) {
    a[0] += 1;
    b[1] += a[0];
    s->left--;
  }
}

// Whoever is called may change what the loop asks for.
void asks(const int *left, double *a, double *b) {
  while (*left) {
    if (a[0] > 1)
      use(a);
    a[0] += 1;
    b[1] += 2;
  }
}

// A machine with its state in memory.
void changes(struct stream *s, double *a) {
  while (s->left != 3) {
    if (a[0] > 1)
      s->left = 3;
    else
      s->left = 2;
    a[0] += 1;
    a[1] += a[0];
  }
}

// A call behind data.
void calls_behind(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (a[j] > 0)
        use(a);
      a[j * 100 + i] += 1;
    }
}

// Arrays that are found by data.
void looks_up(struct node **all, const int *which, int n) {
  for (int i = 0; i < n; i++) {
    struct node *p = all[which[i]];
    p->row[0] = 1;
    p->row[1] = 2;
  }
}

// Calls itself: what is not inlined stays a call.
static int walks(struct node *p, double *to, int n) {
  for (int i = 0; i < n; i++) {
    to[0] += walks(p->next, to, i);
    to[1] += 1;
  }
  return n;
}
int starts(struct node *p, double *to) { return walks(p, to, 3); }

// The bound is in memory that the loop does not write.
void may_read_sizes(struct stream *s, double *a) {
  for (int i = 0; i < s->left; i++)
    for (int j = 0; j < s->left; j++)
      a[j * 100 + i] += 1;
}

// What is stored in the place of the bound is a bound as well.
void may_set_sizes(struct stream *s, double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < s->left; j++) {
      s->left = n;
      a[j * 100 + i] += 1;
    }
}

// A call that is not made where the loop runs.
void may_check(double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (j >= n)
        use(a);
      a[j * 100 + i] += 1;
    }
}

// A table of rows.
void may_have_rows(double **rows, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      rows[i][j] += 1;
}

// Rows of a table of records.
void may_have_records(struct node *all, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      all[i].row[j] += 1;
}

void may_multiply(double *c, const double *a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i * n + j] += a[i * n + j];
}

// Bounds from a table: the inner loop is what the outer one reads.
void may_be_sparse(double *y, const double *v, const int *start, int n) {
  for (int i = 0; i < n; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      y[i] += v[k];
}

// An innermost loop on data is one statement of what is around.
void may_escape(int *count, const double *x, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double z = x[j * n + i];
      int k = 0;
      while (z < 4 && k < 100) {
        z = z * z + x[k];
        k++;
      }
      count[j * n + i] = k;
    }
}

// What may be an error is assumed not to happen.
void may_end(double *a, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      if (a[j * n + i] < 0)
        abort();
      a[j * n + i] *= 2;
    }
}

// The length is read in each iteration, from one place.
void may_read_length(struct node *p, double *b) {
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->n; j++)
      b[j * 100 + i] += 1;
}

// One loop writes what the other reads.
void may_share(double *a, double *b, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
  for (int i = 0; i < n; i++)
    b[i] = a[i] + 1;
}

// A nest within a list.
void may_be_within(struct node *p, double *a) {
  for (; p; p = p->next)
    for (int i = 0; i < 100; i++)
      for (int j = 0; j < 100; j++)
        a[j * 100 + i] += p->n;
}
