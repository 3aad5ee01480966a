"""The table of scripts/bench --gpu: kernels on the host, in one thread and in all, and on the device; bits compared."""
import os
import statistics
import tempfile

import gpu
import kernels

ROW = "{:<16}{:>12}{:>12}{:>12}{:>12}  {:<10} {}"


def wall(times):
    """Median wall time."""
    return statistics.median(t[0] for t in times)


def rows_of(name, builder, opt, threads):
    """The cells of one kernel."""
    defines = [f"-DDATASET={opt.dataset}"]
    times, programs, want = [], {}, None
    for config in (kernels.configuration("o3", opt.plugin), kernels.configuration("polyrs-parallel", opt.plugin), gpu.configuration(opt.plugin)):
        programs[config.name], _ = builder.build(name, config, opt.shape, defines)
    for program, count in (("o3", 1), ("polyrs-parallel", threads)):
        found, hashes = kernels.run(programs[program], 600, opt.runs, threads=count)
        want = want or hashes
        times.append(wall(found))
    ran = []
    for use in ("always", "auto"):
        found, hashes, err = gpu.run(programs["polyrs-gpu"], 600, opt.runs, emulated=False, use=use)
        times.append(wall(found))
        ran += [where for region, where, _ in gpu.regions(err) if region.startswith("kernel:")]
        if hashes != want:
            return (name, *(f"{t:.4g}" for t in times), "NO", use)
    text = f"{ran.count('device')} of {len(ran)} regions on the device"
    return (name, *(f"{t:.4g}" for t in [*times, 0][:4]), "yes", text)


def main(opt, names):
    """Prints the table; True if a result differs or something fails."""
    about, is_there = gpu.device()
    if not is_there:
        print(f"no device: {about}")
        return False
    threads = os.cpu_count() or 1
    print(f"{about}; host with {threads} threads; data set {opt.dataset}; wall time in s, transfers included")
    print(ROW.format("kernel", "o3", "threads", "always", "auto", "same bits", ""))
    wrong = False
    with tempfile.TemporaryDirectory() as folder:
        builder = kernels.Builder(folder, ["-O3", "-march=native"])
        for name in names:
            try:
                cells = rows_of(name, builder, opt, threads)
            except kernels.Failed as failure:
                cells = (name, "-", "-", "-", "-", "FAILED", str(failure))
            wrong |= cells[5] != "yes"
            print(ROW.format(*cells), flush=True)
    return wrong
