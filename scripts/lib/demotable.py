"""The table of scripts/demo: per kernel the time of clang -O3, the time with polyrs, the speedup, and what was done."""
import statistics
import sys
import tempfile
import textwrap

import gpu
import kernels
import toolchain

# One of each kind: dense products, a factorization, statistics, stencils, and two that are best left as they are.
EXAMPLES = ["matmul-ijk", "2mm", "gemm", "covariance", "lu", "doitgen", "jacobi-2d", "atax"]
ROUNDS = 3
ROW = "{:<12}{:>12}{:>12}{:>10}  {:<10} {}"
WIDTH = 62


def what_was_done(kernel, printed):
    """The remarks about a kernel's timed function as one text."""
    rows = kernels.remarks(kernel, printed)
    texts = [f"{kind}: {text}" if kind == "kept" else text for _, kind, text in rows]
    return "; ".join(dict.fromkeys(texts)) or "kept: no loop nest was found"


def example(kernel, builder, configs, defines):
    """The cells of one row."""
    programs, hashes, printed = [], [], ""
    for config in configs:
        exe, printed = builder.build(kernel, config, "global", defines)
        programs.append(exe)
        hashes.append(kernels.run(exe, 300)[1])
    times = [[], []]
    for _ in range(ROUNDS):
        for i, exe in enumerate(programs):
            times[i].append(statistics.median(cpu for _, cpu in kernels.run(exe, 300)[0]))
    base, ours = (statistics.median(t) for t in times)
    return (kernel, f"{base:.4f} s", f"{ours:.4f} s", f"{base / max(ours, 1e-9):.2f} x",
            "yes" if hashes[0] == hashes[1] else "NO", what_was_done(kernel, printed))


def on_gpu(builder, dataset):
    """A matrix product on the device, or, small, in the emulator: (where, seconds of the host, seconds there, same bits, what was done)."""
    about, is_there = gpu.device()
    defines = [f"-DDATASET={dataset if is_there else 'MINI'}"]
    host, _ = builder.build("gemm", kernels.configuration("o3", None), "global", defines)
    exe, _ = builder.build("gemm", gpu.configuration(), "global", defines)
    times, want = kernels.run(host, 300)
    own, got, err = gpu.run(exe, 300, emulated=not is_there)
    regions = [f"{name} {where}{rest}" for name, where, rest in gpu.regions(err) if name.startswith("kernel:")]
    same = got == want and any(where == "device" for _, where, _ in gpu.regions(err)) and not gpu.findings(err)
    where = about if is_there else f"in the emulator, which is for tests ({about})"
    seconds = (f"{times[0][0]:.4f} s", f"{own[0][0]:.4f} s") if is_there else ("-", "-")
    return ("gemm, GPU", *seconds, "-", "yes" if same else "NO", f"{where}: " + "; ".join(regions))


def main(dataset):
    configs = [kernels.configuration("o3", None), kernels.configuration("polyrs", None)]
    configs[1].clang += ["-Rpass=polyrs", "-Rpass-missed=polyrs"]
    wrong = 0
    print(ROW.format("kernel", "clang -O3", "polyrs", "speedup", "same bits", "what was done"))
    with tempfile.TemporaryDirectory() as folder:
        builder = kernels.Builder(folder, ["-O3", "-march=native"])
        for kernel in [*EXAMPLES, None]:
            try:
                row = example(kernel, builder, configs, [f"-DDATASET={dataset}"]) if kernel else on_gpu(builder, dataset)
                *cells, done = row
            except kernels.Failed as failure:
                *cells, done = kernel or "gemm, GPU", "-", "-", "-", "FAILED", str(failure)
            wrong += cells[-1] != "yes"
            lines = textwrap.wrap(done, WIDTH) or [""]
            print(ROW.format(*cells, lines[0]))
            for line in lines[1:]:
                print(ROW.format("", "", "", "", "", line))
            sys.stdout.flush()
    print("\nTimes: CPU time of the kernel alone, one thread, caches cold, median of", ROUNDS, "interleaved runs.")
    print("More: scripts/bench --help; target/release/polyrs explain bench/kernels/lu.c")
    return wrong != 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except toolchain.ToolMissing as missing:
        sys.exit(f"error: {missing}")
