// The bits of an array as text.
#include <stdio.h>

static void tell(const char *name, const void *all, long bytes) {
  unsigned long hash = 0xcbf29ce484222325ul;
  for (long i = 0; i < bytes; i++)
    hash = (hash ^ ((const unsigned char *)all)[i]) * 0x100000001b3ul;
  printf("%s %016lx\n", name, hash);
}
