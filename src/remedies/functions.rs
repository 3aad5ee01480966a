//! Functions of libraries by what they do: which remedy is that of a call.

/// What copies of memory are called, with their sizes behind it.
pub const COPY: &str = "copy of ";
/// The same where all bytes get one value.
pub const FILL: &str = "fill of ";
/// What calls are called of functions that are not known.
pub const THROUGH: &str = "call through ";
/// What functions of a library are called whose own code makes a call.
pub const LIBRARY: &str = "library function ";
/// Those of them that may have to ask for more memory.
pub const GROWING: [&str; 19] = [
    "push_back",
    "emplace_back",
    "push_front",
    "emplace_front",
    "push",
    "push_str",
    "insert",
    "emplace",
    "append",
    "extend",
    "extend_from_slice",
    "resize",
    "reserve",
    "assign",
    "operator+=",
    "or_insert",
    "or_insert_with",
    "or_default",
    "entry",
];
/// Those of them that make something new in memory.
pub const MAKING: [&str; 14] = [
    "vector",
    "basic_string",
    "make_unique",
    "make_shared",
    "to_string",
    "clone",
    "to_vec",
    "to_owned",
    "collect",
    "from_elem",
    "with_capacity",
    "format",
    "to_lowercase",
    "to_uppercase",
];
/// Those of them that copy or fill memory.
pub const COPYING: [&str; 9] =
    ["copy", "copy_n", "copy_backward", "move", "fill", "fill_n", "copy_from_slice", "clone_from_slice", "swap"];
/// What calls end the program in Rust, and in C++'s library.
pub const PANICS: [&str; 5] =
    ["core::panicking::", "core::slice::index::", "core::option::", "core::result::", "core::str::"];
/// Functions of C that may set `errno`, and do nothing else but compute.
pub const MATH: [&str; 40] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fdim",
    "fma",
    "fmod",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "nextafter",
    "pow",
    "remainder",
    "sin",
    "sinh",
    "tan",
    "tanh",
    "tgamma",
];
/// Functions of C that look at memory and do nothing else.
pub const LOOKING: [&str; 15] = [
    "strlen()",
    "strnlen()",
    "strcmp()",
    "strncmp()",
    "strcasecmp()",
    "strncasecmp()",
    "memcmp()",
    "bcmp()",
    "memchr()",
    "strchr()",
    "strrchr()",
    "strstr()",
    "strspn()",
    "strcspn()",
    "wcslen()",
];
/// Functions of C that keep a state.
pub const RANDOM: [&str; 6] = ["rand()", "random()", "drand48()", "lrand48()", "rand_r()", "erand48()"];
/// Functions that make and free memory.
pub const ALLOCATORS: [&str; 9] = [
    "malloc()",
    "calloc()",
    "realloc()",
    "free()",
    "aligned_alloc()",
    "operator new()",
    "operator new[]()",
    "operator delete()",
    "operator delete[]()",
];
/// Functions that write messages or end the program: nobody can inline them.
pub const MESSAGES: [&str; 16] = [
    "printf()",
    "fprintf()",
    "puts()",
    "putchar()",
    "fputs()",
    "fputc()",
    "putc()",
    "fwrite()",
    "fflush()",
    "perror()",
    "abort()",
    "exit()",
    "print()",
    "write()",
    "std::io::stdio::_print()",
    "std::io::stdio::_eprint()",
];
/// Functions of C that read input.
pub const READERS: [&str; 12] = [
    "scanf()",
    "fscanf()",
    "sscanf()",
    "getchar()",
    "getc()",
    "fgetc()",
    "fgets()",
    "fread()",
    "getline()",
    "read()",
    "strtol()",
    "strtod()",
];
/// Functions of C that change memory or depend on what others do: they can neither be inlined nor declared `const`.
pub const OF_C: [&str; 22] = [
    "strcpy()",
    "strncpy()",
    "stpcpy()",
    "strcat()",
    "strncat()",
    "strtok()",
    "sprintf()",
    "snprintf()",
    "vsprintf()",
    "vsnprintf()",
    "qsort()",
    "bsearch()",
    "time()",
    "clock()",
    "clock_gettime()",
    "gettimeofday()",
    "getenv()",
    "fopen()",
    "fclose()",
    "fseek()",
    "usleep()",
    "nanosleep()",
];
/// What LLVM calls where an array begins or ends to live whose size is no constant.
const STACK: [&str; 2] = ["llvm.stacksave.", "llvm.stackrestore."];
/// What glibc's headers put before the names of some, by the standard that is asked for.
pub const STANDARDS: [&str; 2] = ["__isoc99_", "__isoc23_"];
/// What the functions are called that do so in C++.
pub const STREAMS: [&str; 2] = ["operator<<", "std::ostream::"];

/// The name of a function as the source has it.
pub fn without_standard(name: &str) -> &str {
    STANDARDS.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name)
}

/// Whether all of these are among the functions.
pub fn is_among(named: &[String], functions: &[&str]) -> bool {
    named.iter().all(|name| functions.contains(&without_standard(name)))
}

/// Whether a function makes or frees memory.
pub fn is_allocator(name: &str) -> bool {
    ALLOCATORS.contains(&name)
}

/// Whether this is a function of C's <math.h> that may set `errno`, in any of its three types.
pub fn is_of_math(name: &str) -> bool {
    let name = name.strip_suffix("()").unwrap_or(name);
    let plain = |name: &str| MATH.contains(&name);
    plain(name) || name.strip_suffix(['f', 'l']).is_some_and(plain)
}

/// Whether a function writes messages, or ends the program.
pub fn is_message(name: &str) -> bool {
    let name = name.strip_prefix(LIBRARY).unwrap_or(name);
    MESSAGES.contains(&name) || STREAMS.iter().any(|part| name.contains(part))
}

/// Whether this is no call in the source, but an array in the function's frame.
pub fn is_of_stack(name: &str) -> bool {
    STACK.iter().any(|start| name.starts_with(start))
}

/// Whether a call ends a program of Rust, or unwinds its stack.
pub fn is_panic(name: &str) -> bool {
    PANICS.iter().any(|start| name.strip_prefix(LIBRARY).unwrap_or(name).starts_with(start))
}

/// Whether a name is that of a function of a library that makes containers larger, or new ones.
pub fn changes_containers(name: &str) -> bool {
    let own =
        name.strip_prefix(LIBRARY).map(|name| name.trim_end_matches("()").rsplit("::").next().unwrap_or_default());
    own.is_some_and(|own| GROWING.contains(&own) || MAKING.contains(&own) || is_freeing(own))
}

/// Whether a function of a library, by its own name, frees memory.
pub fn is_freeing(own: &str) -> bool {
    own.starts_with('~') || ["drop_in_place", "drop", "clear", "erase", "truncate"].contains(&own)
}
