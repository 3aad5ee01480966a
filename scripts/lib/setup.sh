# Sourced by scripts/test and scripts/demo: finds or installs what they need on Debian 12, and names the tools.
# After `setup`, $llvm_bin is the folder of LLVM 22's programs.

packages="llvm-22-dev llvm-22-tools clang-22 lld-22 libomp-22-dev libclang-rt-22-dev g++ python3 python3-venv"
rust_at_least=1.95

# Prints a line about what is going on.
say() { printf '%s\n' "-- $*"; }

# Prints an error and ends.
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# True if the word $1 stands among the other arguments.
given() {
    wanted=$1
    shift
    for word; do [ "$word" = "$wanted" ] && return 0; done
    return 1
}

# Asks a yes-or-no question where a terminal is attached; yes elsewhere and with -y.
agree() {
    [ "$yes" = 1 ] && return 0
    [ -t 0 ] || return 0
    printf '%s [Y/n] ' "$1"
    read -r answer
    case $answer in '' | [Yy]*) return 0 ;; *) return 1 ;; esac
}

# Prints those of $packages that are not installed.
missing_packages() {
    for package in $packages; do
        state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)
        [ "$state" = "install ok installed" ] || printf '%s ' "$package"
    done
}

# Installs what is missing, as root or through sudo.
install_packages() {
    missing=$(missing_packages)
    [ -z "$missing" ] && return
    say "missing packages: $missing"
    agree "Install them with apt-get?" || die "these packages are needed: $missing"
    as_root=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "not root and no sudo; as root, run: apt-get install $missing"
        as_root=sudo
    fi
    say "installing (a few hundred megabytes)"
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get -q update || die "apt-get update failed; is the network there?"
    # shellcheck disable=SC2086
    $as_root apt-get -q install -y --no-install-recommends $missing ||
        die "apt-get could not install: $missing (LLVM 22 comes with Debian 12's security archive)"
}

# True if the version $1 is at least $2, both MAJOR.MINOR.
at_least() {
    [ "${1%%.*}" -gt "${2%%.*}" ] && return 0
    rest=${1#*.}
    [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${rest%%.*}" -ge "${2#*.}" ]
}

# Ends with a sentence if there is no usable Rust.
check_rust() {
    command -v cargo >/dev/null || die "Rust is not installed: get $rust_at_least or newer from https://rustup.rs"
    version=$(rustc --version | cut -d' ' -f2)
    at_least "$version" "$rust_at_least" || die "Rust $version is too old: $rust_at_least or newer is needed"
}

# Puts islpy, the oracle of the set library's tests, into target/oracle; without a network those tests are skipped.
install_oracle() {
    target/oracle/bin/python -c 'import islpy' 2>/dev/null && return
    say "installing islpy into target/oracle"
    python3 -m venv target/oracle && target/oracle/bin/pip install -q islpy ||
        say "islpy could not be installed: the set library is not compared with isl"
}

# Puts ptxas, the assembler of GPU kernels, into target/ptxas; without a network the kernels are not assembled. The
# wheels for CUDA 12 know the oldest architecture that kernels are for.
install_ptxas() {
    [ -n "$(find target/ptxas -name ptxas 2>/dev/null)" ] && return
    say "installing ptxas into target/ptxas"
    python3 -m venv target/ptxas/venv
    for wheel in nvidia-cuda-nvcc-cu12 nvidia-cuda-nvcc; do
        target/ptxas/venv/bin/pip install -q --no-deps --target target/ptxas/wheel "$wheel" && return
    done
    say "ptxas could not be installed: kernels for GPUs are not assembled"
}

# Makes sure of everything, and sets $llvm_bin.
setup() {
    check_rust
    if command -v dpkg-query >/dev/null; then
        install_packages
    elif ! command -v llvm-config-22 >/dev/null; then
        die "this is not Debian: install LLVM 22 with clang, lld, FileCheck and lit yourself, with llvm-config-22 on the PATH"
    fi
    llvm_bin=$(llvm-config-22 --bindir) || die "llvm-config-22 does not run"
    say "LLVM $(llvm-config-22 --version) in $llvm_bin, Rust $(rustc --version | cut -d' ' -f2)"
}
