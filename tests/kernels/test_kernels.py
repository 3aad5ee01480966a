"""What must hold for every kernel: transformed where it should be, verified, the same bytes each time, in every position."""
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import kernels
import toolchain

MUST_CHANGE = {"gemm", "2mm", "3mm", "syrk", "lu", "jacobi-2d", "heat-3d", "seidel-2d"}
MUST_CHANGE_AT_LEAST = 20
# Kernels with a loop that threads share at large sizes, without being forced to.
MUST_SHARE = {"gemm", "2mm", "3mm", "syrk", "syr2k", "symm", "trmm", "mvt", "gemver", "covariance", "lu", "cholesky", "jacobi-2d", "fdtd-2d"}
MUST_SHARE_AT_LEAST = 20
MINI = ["-DDATASET=MINI"]


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.builder = kernels.Builder(cls.folder.name, ["-O3", "-g"])
        cls.pool = ThreadPoolExecutor(2)

    @classmethod
    def tearDownClass(cls):
        cls.pool.shutdown()
        cls.folder.cleanup()

    def each(self, work, names=None):
        """(kernel, result of `work`) for every kernel."""
        names = names or kernels.all_names()
        return zip(names, self.pool.map(work, names))

    def opt(self, kernel, passes, *flags):
        """What opt prints for a kernel's unoptimized IR: (stdout, stderr)."""
        ir = self.builder.ir(kernel, "param", MINI)
        args = [toolchain.program("opt"), f"-load-pass-plugin={toolchain.plugin()}", f"-passes={passes}", *flags, ir]
        return kernels.call(args, 60)

    def test_same_bytes_each_time_and_verified(self):
        def twice(kernel):
            passes = "polyrs<process-unprofitable;fatal-bugs>,verify"
            return [self.opt(kernel, passes, "-S", "-o", "-")[0] for _ in range(2)]
        for kernel, (first, second) in self.each(twice):
            self.assertEqual(first, second, kernel)

    def test_every_phase_prints(self):
        def prints(kernel):
            return {p: self.opt(kernel, f"print<polyrs-{p}<process-unprofitable;fatal-bugs>>", "-disable-output")[1]
                    for p in ("scops", "dependences", "schedule", "ast")}
        for kernel, texts in self.each(prints):
            for phase, text in texts.items():
                self.assertTrue(text.strip(), f"{kernel}: nothing printed for {phase}")

    def test_loops_run_in_the_order_of_their_schedule(self):
        def replayed(kernel):
            passes = "polyrs<process-unprofitable;verify-ast;fatal-bugs;tile-sizes=4,3,5>"
            lines = self.opt(kernel, passes, "-disable-output")[1].splitlines()
            return [int(m.group(1)) for m in (re.match(r"loops of .*: (\d+) vectors", line) for line in lines) if m]
        counts = {kernel: agree for kernel, agree in self.each(replayed)}
        self.assertGreaterEqual(sum(bool(agree) for agree in counts.values()), MUST_CHANGE_AT_LEAST, counts)
        for kernel, agree in counts.items():
            self.assertTrue(all(agree), f"{kernel}: nothing small enough to compare: {agree}")

    def test_enough_kernels_are_transformed(self):
        config = kernels.configuration("u=polyrs -Rpass=polyrs -polyrs-process-unprofitable", None)

        def changed(kernel):
            _, printed = self.builder.build(kernel, config, "global", MINI)
            return any(kind == "transformed" for _, kind, _ in kernels.remarks(kernel, printed))
        done = {kernel for kernel, yes in self.each(changed, kernels.FIELD) if yes}
        self.assertLessEqual(MUST_CHANGE, done)
        self.assertGreaterEqual(len(done), MUST_CHANGE_AT_LEAST, sorted(done))

    def test_enough_kernels_run_in_threads(self):
        config = kernels.configuration("p=polyrs-parallel -Rpass=polyrs", None)

        def shared(kernel):
            _, printed = self.builder.build(kernel, config, "global", ["-DDATASET=LARGE"], "-large")
            return any("in threads" in text for _, _, text in kernels.remarks(kernel, printed))
        done = {kernel for kernel, yes in self.each(shared, kernels.FIELD) if yes}
        self.assertLessEqual(MUST_SHARE, done)
        self.assertGreaterEqual(len(done), MUST_SHARE_AT_LEAST, sorted(done))

    def test_other_positions_give_the_same_bits(self):
        configs = [kernels.configuration(c, None) for c in (
            "o3", "late=polyrs -polyrs-position=before-vectorizer -polyrs-process-unprofitable",
            "plain=polyrs -polyrs-optimizer=none -polyrs-process-unprofitable",
            "untiled=polyrs -polyrs-tiling=false -polyrs-process-unprofitable",
            "small=polyrs -polyrs-default-tile-size=3 -polyrs-process-unprofitable",
            "late-threads@2=polyrs-parallel -polyrs-parallel-force -polyrs-position=before-vectorizer")]

        def hashes(kernel):
            programs = [self.builder.build(kernel, c, "param", MINI, "-positions")[0] for c in configs]
            return [kernels.run(exe, 60, threads=c.threads)[1] for exe, c in zip(programs, configs)]
        for kernel, results in self.each(hashes):
            for config, result in zip(configs, results):
                self.assertEqual(result, results[0], f"{kernel} {config.name}")

    def test_spent_budgets_leave_the_program_right(self):
        for budget in ("analysis", "dependences", "schedule", "ast"):
            for steps in (0, 50, 2000):
                config = kernels.configuration(f"b=polyrs -polyrs-{budget}-budget={steps} -polyrs-process-unprofitable", None)
                exe, _ = self.builder.build("lu", config, "global", MINI, f"-{budget}-{steps}")
                base, _ = self.builder.build("lu", kernels.configuration("o3", None), "global", MINI)
                self.assertEqual(kernels.run(exe, 60)[1], kernels.run(base, 60)[1], f"{budget} {steps}")

    def test_link_time(self):
        for kernel in ("gemm", "lu"):
            source = str(kernels.FOLDER / f"{kernel}.c")
            exe = str(Path(self.folder.name) / f"{kernel}-lto")
            clang = toolchain.program("clang")
            kernels.call([clang, "-O2", "-flto", *MINI, "-c", source, "-o", exe + ".o"], 60)
            kernels.call([clang, "-O2", "-flto", "-fuse-ld=lld", f"-Wl,--load-pass-plugin={toolchain.plugin()}", exe + ".o",
                          str(self.builder.harness), "-lm", "-o", exe], 60)
            base, _ = self.builder.build(kernel, kernels.configuration("o3", None), "global", MINI)
            self.assertEqual(kernels.run(exe, 60)[1], kernels.run(base, 60)[1], kernel)

    def test_untransformed_module_is_byte_identical(self):
        def both(kernel):
            ir = self.builder.ir(kernel, "param", MINI)
            plain = kernels.call([toolchain.program("opt"), "-S", ir, "-o", "-"], 60)[0]
            return plain, self.opt(kernel, "polyrs<stop-after=ast;process-unprofitable>", "-S", "-o", "-")[0]
        for kernel, (plain, ours) in self.each(both):
            self.assertEqual(plain, ours, kernel)


class Command(unittest.TestCase):
    def polyrs(self, *args):
        """Runs the polyrs command."""
        program = toolchain.target_dir() / "release" / "polyrs"
        return subprocess.run([str(program), *args], capture_output=True, text=True, timeout=60)

    def test_doctor_finds_everything(self):
        p = self.polyrs("doctor")
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        # opt and clang, and the compilers that may be there: flang and rustc, which scripts/test installs or needs
        # itself.
        self.assertEqual(p.stdout.count("loads and runs"), 5, p.stdout)

    def test_explain_says_what_happens(self):
        p = self.polyrs("explain", str(kernels.FOLDER / "gemm.c"), "-polyrs-process-unprofitable", "-show", "ast")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("gemm.c:", p.stdout)
        self.assertIn("for (", p.stdout)

    def test_wrong_use_is_told(self):
        for args, part in ((["explain"], "needs a file"), (["explain", "x.c", "-show", "y"], "cannot show"), (["x"], "do not know")):
            p = self.polyrs(*args)
            self.assertEqual(p.returncode, 1)
            self.assertIn(part, p.stderr)


if __name__ == "__main__":
    unittest.main()
