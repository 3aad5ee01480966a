"""Pages of `polyrs explain --html` in a browser: they load without an error, and sliders, steps and animation do something.
With POLYRS_UPDATE_TESTS=1 the pictures in docs/figures are made anew."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import toolchain

DRIVER, BROWSER = shutil.which("chromedriver"), shutil.which("chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--window-size=1100,2600"]
PAGES = {
    "tiling": ["docs/figures/tiling.c", "-polyrs-process-unprofitable", "-polyrs-tile-sizes=2,2"],
    "skewing": ["docs/figures/skewing.c", "-polyrs-transform=docs/figures/skewing.txt"],
    "product": ["examples/matmul.c", "-polyrs-pattern-matching-based-opts=false"],
    "heat": ["examples/heat.c", "-polyrs-process-unprofitable", "-polyrs-parallel"],
    "steps": ["tests/page/steps.c", "-polyrs-process-unprofitable", "-polyrs-parallel", "-polyrs-diamond-tiling=false"],
    "diamonds": ["tests/page/diamonds.c", "-polyrs-process-unprofitable", "-polyrs-parallel"],
    "sweeps": ["tests/page/sweeps.c", "-polyrs-process-unprofitable", "-polyrs-parallel"],
    "scalars": ["tests/page/scalars.c", "-polyrs-process-unprofitable"],
    "values": ["tests/page/values.c", "-polyrs-process-unprofitable"],
    "illegal": ["tests/page/wave.c", "-polyrs-transform=tests/page/wave.txt"],
}


class Browser:
    """A headless Chromium, spoken to by the WebDriver protocol."""

    def __init__(self, folder):
        self.process = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = next(line.rsplit("port ", 1)[1].strip(" .\n") for line in self.process.stdout if "successfully on port " in line)
        self.url = f"http://127.0.0.1:{port}"
        options = {"binary": BROWSER, "args": [*FLAGS, f"--user-data-dir={folder}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("session", {"capabilities": {"alwaysMatch": wanted}})
        self.url += f"/session/{session['sessionId']}"

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.call("execute/sync", {"script": script, "args": []})

    def errors(self):
        return [entry for entry in self.call("se/log", {"type": "browser"}) if entry["level"] in ("SEVERE", "WARNING")]

    def close(self):
        try:
            urllib.request.urlopen(urllib.request.Request(self.url, method="DELETE"), timeout=30).close()
        finally:
            self.process.terminate()
            self.process.wait(30)
            self.process.stdout.close()


@unittest.skipUnless(DRIVER and BROWSER, "chromium and chromium-driver are not installed")
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.folder.cleanup)
        command = toolchain.target_dir() / "release" / "polyrs"
        for name, args in PAGES.items():
            out = Path(cls.folder.name) / f"{name}.html"
            subprocess.run([command, "explain", *args, "--html", out], cwd=ROOT, check=True, capture_output=True, timeout=60)
        cls.import_illegal_order(command)
        cls.browser = Browser(Path(cls.folder.name) / "profile")
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def import_illegal_order(cls, command):
        """The page of a schedule that a user exported, edited so that two loops change places, and imported."""
        folder = Path(cls.folder.name)
        explain = [command, "explain", "tests/page/wave.c", f"-polyrs-import-jscop-dir={folder}"]
        subprocess.run([*explain, "-polyrs-export-jscop"], cwd=ROOT, check=True, capture_output=True, timeout=60)
        schedule = folder / "wave___0.jscop"
        exported = schedule.read_text()
        assert "-> [i0, i1] }" in exported, exported
        schedule.write_text(exported.replace("-> [i0, i1] }", "-> [i1, i0] }"))
        page = ["-polyrs-import-jscop", "--html", folder / "imported.html"]
        subprocess.run([*explain, *page], cwd=ROOT, check=True, capture_output=True, timeout=60)

    def open(self, name):
        path = Path(self.folder.name) / f"{name}.html"
        self.assertNotRegex(path.read_text(), r"""(src|href)=["']https?:""")
        self.browser.call("url", {"url": path.as_uri()})
        return self.browser.run

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])

    def test_each_step_shows_its_loops(self):
        for name in PAGES:
            run = self.open(name)
            steps = run("return document.querySelectorAll('.nest .steps button').length")
            self.assertGreaterEqual(steps, 1 if name in ("illegal", "scalars") else 2, name)
            for k in range(run("return document.querySelector('.steps').children.length")):
                code = run(f"document.querySelector('[data-key=step-{k}]').click(); return document.querySelector('.nest pre[role=region]').textContent")
                self.assertIn("for (", code)
                self.assertEqual(run("return document.querySelector('.steps [aria-pressed=true]').dataset.key"), f"step-{k}")
            self.assertNotIn("✗", run("return document.querySelector('#nest-0').textContent"), name)

    def test_sections_of_the_documentation_are_not_raw(self):
        count = lambda run, what: run(f"return document.querySelectorAll('details.page {what}').length")
        run = self.open("product")
        self.assertGreater(count(run, "table th"), 1)
        self.assertGreater(count(run, "table td"), 10)
        self.assertGreater(count(run, "code"), 3)
        for name in PAGES:
            run = self.open(name)
            for text in run("return [...document.querySelectorAll('details.page :is(p, li, td, th, blockquote)')].map((e) => e.textContent)"):
                self.assertNotRegex(text, r"^\||^[>-] |`|\]\(", name)

    def test_statements_are_called_as_in_the_source(self):
        for name in PAGES:
            run = self.open(name)
            run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            self.assertNotRegex(run("return document.body.innerText"), r"Stmt\d", name)
        run = self.open("values")
        self.assertIn("line 6: int s = 0;", run("return document.querySelector('#nest-0').innerText"))
        self.assertIn("int s = 0;", run("return document.querySelector('.nest pre[role=region]').textContent"))
        run = self.open("scalars")
        self.assertIn("last = f(last) (2)", run("return document.querySelector('#nest-0').innerText"))

    def test_tiles_of_two_by_two(self):
        run = self.open("tiling")
        self.assertEqual(run("return document.querySelectorAll('.point').length"), 32)
        self.assertEqual(run("return document.querySelectorAll('.tile').length"), 4)
        self.assertIn("a[", run("return document.querySelector('.nest pre[role=region]').textContent"))

    def test_footprints_fit_caches_and_tiles_save_traffic(self):
        run = self.open("product")
        text = run("const d = document.querySelector('#nest-0 .footprint'); d.open = true; return d.textContent")
        self.assertIn("one iteration of i", text)
        self.assertIn("in tiles of", text)
        rows = run("return [...document.querySelectorAll('#nest-0 .traffic tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
        self.assertEqual(len(rows), 3)
        per_byte = [[float(cell.split(": ")[1].split(" ")[0]) for cell in row[1:]] for row in rows]
        self.assertTrue(all(new > old for old, new in per_byte[:1]), rows)

    def test_statements_without_a_text_of_their_own_say_what_they_write(self):
        run = self.open("scalars")
        nest = f"#nest-{self.nest_of(run, 'carry')}"
        code = run(f"return document.querySelector('{nest} pre[role=region]').textContent")
        self.assertIn("last = ", code)
        self.assertNotIn("Stmt", code)
        text = run(f"return document.querySelector('{nest}').textContent")
        self.assertIn("RAW on last", text)
        self.assertNotIn("NaN", text)

    def test_a_long_loop_is_a_row_of_its_first_iterations(self):
        run = self.open("scalars")
        nest = f"#nest-{self.nest_of(run, 'fill')}"
        points = run(f"return [...document.querySelectorAll('{nest} svg')].at(-1).querySelectorAll('.point').length")
        self.assertEqual(points, 9)
        box = run(f"const b = document.querySelector('{nest} .point').getBoundingClientRect(); return [b.width, b.height]")
        self.assertGreater(min(box), 4)
        self.assertLess(run(f"return document.querySelector('{nest} svg').getBoundingClientRect().height"), 150)
        text = run(f"return document.querySelector('{nest}').textContent")
        self.assertIn("drawn over i,", text)
        self.assertIn("the first iterations are drawn", text)

    def test_reasons_come_along(self):
        run = self.open("scalars")
        nest = f"#nest-{self.nest_of(run, 'calls')}"
        page = f"document.querySelector('{nest} details.page')"
        self.assertEqual(run(f"return {page}.querySelector('summary').textContent"), "More of this: docs/reasons.md#call")
        self.assertIn("static inline double scale", run(f"{page}.open = true; return {page}.innerText"))
        self.assertEqual(run("return data.nests.filter((nest) => !nest.page).length"), 0)

    def test_a_skewed_distance(self):
        run = self.open("skewing")
        text = run("return document.querySelector('#nest-0').textContent")
        self.assertIn("distance in the source's loops (1, 1)", text)
        self.assertIn("distance (1, 2)", text)

    def test_sliders_change_the_picture(self):
        run = self.open("skewing")
        before = run("return document.querySelectorAll('.point').length")
        run("const s = document.querySelector('[data-key=param-0]'); s.value = 5; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change'))")
        after = run("return document.querySelectorAll('.point').length")
        self.assertEqual(after, 32)
        self.assertNotEqual(before, after)

    def test_the_order_plays_and_can_be_stepped(self):
        run = self.open("tiling")
        run("const s = document.querySelector('[data-key=time]'); s.value = 0; s.dispatchEvent(new Event('input'))")
        self.assertEqual(run("return document.querySelector('.live').textContent"), "Nothing has run.")
        run("document.querySelector('[data-key=on]').click()")
        self.assertIn("1. line 6: i = 0, j = 0", run("return document.querySelector('.live').textContent"))
        run("document.querySelector('[data-key=play]').click()")
        deadline = time.monotonic() + 30
        while run("return document.querySelector('[data-key=time]').value") == "1" and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertGreater(int(run("return document.querySelector('[data-key=time]').value")), 1)

    def nest_of(self, run, function):
        return run(f"return data.nests.findIndex((nest) => nest.function === '{function}')")

    def test_every_step_on_the_way_is_there(self):
        run = self.open("steps")
        titles = "return [...document.querySelectorAll('#nest-{} .steps button')].map((b) => b.textContent)"
        relax = run(titles.format(self.nest_of(run, "relax")))
        self.assertEqual(relax, ["1. original", "2. fused", "3. skewed", "4. tiled", "5. parallel", "6. unrolled"])
        waves = run(titles.format(self.nest_of(run, "waves")))
        self.assertEqual(waves, ["1. original", "2. fused", "3. skewed", "4. tiled", "5. parallel", "6. vector"])
        product = run(titles.format(self.nest_of(run, "product")))
        self.assertEqual(product, ["1. original", "2. interchanged", "3. tiled", "4. parallel", "5. vector"])

    def test_vectors_are_told_of_where_they_change_no_loop(self):
        run = self.open("diamonds")
        titles = run("return [...document.querySelectorAll('#nest-0 .steps button')].map((b) => b.textContent)")
        self.assertEqual(titles[-1], f"{len(titles)}. parallel, vector")
        run(f"document.querySelector('[data-key=step-{len(titles) - 1}]').click()")
        self.assertIn("The innermost loop can run in vectors", run("return document.querySelector('#nest-0').textContent"))

    def test_steps_run_the_same_iterations(self):
        for name in PAGES:
            run = self.open(name)
            counts = run("""return data.nests.filter((nest) => nest.picture).flatMap(({ picture }) => [3, 6, 7].map((size) => {
              const of = (step) => (instancesOf(step.loops, picture.params.map(() => size)) || []).map(keyOf).sort().join(" ");
              return picture.steps.map(of);
            }))""")
            for steps in counts:
                self.assertEqual(len(set(steps)), 1, name)

    def test_nests_are_sorted_by_their_cost(self):
        run = self.open("steps")
        costs = run("return data.nests.map((nest) => nest.costs ? nest.costs.usual : 0)")
        self.assertGreaterEqual(len(costs), 3)
        self.assertEqual(costs, sorted(costs, reverse=True))
        rows = run("return [...document.querySelectorAll('#overview tbody tr')].map((r) => r.cells[1].textContent)")
        self.assertEqual(rows, run("return data.nests.map((nest) => `${nest.function}, line ${nest.start.line}`)"))
        self.assertEqual(run("return document.querySelectorAll('.source .badge').length"), len(costs))

    def test_any_two_loops_are_drawn(self):
        run = self.open("product")
        axes = "return [...document.querySelectorAll('#nest-0 svg')].at(-1).querySelectorAll('text').values().map((t) => t.textContent).filter((t) => /[→↑]/.test(t)).toArray().join(' ')"
        choose = "const s = document.querySelector('#nest-0 [data-key={0}]'); s.value = {1}; s.dispatchEvent(new Event('change'))"
        run("document.querySelector('#nest-0 [data-key=step-0]').click()")
        run(choose.format("x", 0))
        run(choose.format("y", 2))
        self.assertEqual(run(axes), "i → ↑ k")
        self.assertIn("slice at j", run("return document.querySelector('#nest-0').textContent"))
        run(choose.format("x", 1))
        self.assertEqual(run(axes), "j → ↑ k")

    def test_wavefronts_have_colours(self):
        run = self.open("heat")
        run("document.querySelector('[data-key=step-0]').click()")
        colours = "return new Set([...[...document.querySelectorAll('#nest-0 svg')].at(-1).querySelectorAll('.point')].map((p) => p.style.stroke)).size"
        self.assertEqual(run(colours), 1)
        self.assertIn("is not told of this step", run("return document.querySelector('#nest-0').textContent"))
        run("[...document.querySelector('.steps').children].find((b) => b.textContent.includes('parallel')).click()")
        self.assertGreater(run(colours), 2)
        self.assertIn("tiles of one colour", run("return document.querySelector('#nest-0').textContent"))

    def test_both_orders_of_skewed_loops_have_iterations(self):
        run = self.open("sweeps")
        captions = run("return [...document.querySelectorAll('#nest-0 figcaption')].map((c) => c.textContent)")
        self.assertEqual(len(captions), 2, captions)
        for caption in captions:
            self.assertNotRegex(caption, r": 0 of ", captions)
        labels = "return [...document.querySelectorAll('#nest-0 .controls label')].map((l) => l.textContent).filter((t) => t.includes('slice')).join()"
        self.assertIn("original: slice at", run(labels))

    def test_dependences_have_proofs_and_arrows(self):
        run = self.open("steps")
        nest = f"#nest-{self.nest_of(run, 'relax')}"
        text = run(f"return document.querySelector('{nest}').textContent")
        self.assertRegex(text, r"RAW on \w+, line \d+ → line \d+: distance in the source's loops \([^:]*\): forward\. In this order: distance \([^)]*\), (\d+) of \1 pairs forward ✓")
        arrows = f"return document.querySelectorAll('{nest} .arrow').length"
        self.assertGreater(run(arrows), 0)
        run(f"document.querySelectorAll('{nest} [data-key^=kind-]').forEach((box) => {{ if (box.checked) box.click(); }})")
        self.assertEqual(run(arrows), 0)

    def test_an_illegal_order_is_shown_with_its_two_instances(self):
        for name in ("illegal", "imported"):
            run = self.open(name)
            text = run("return document.querySelector('#nest-0').textContent")
            self.assertRegex(text, r"illegal: line 5 at i = \d+, j = \d+ must run after line 5 at i = \d+, j = \d+ \(RAW dependence\) but does not")
            titles = run("return [...document.querySelectorAll('#nest-0 .conflict title')].map((t) => t.textContent)")
            self.assertEqual(len(titles), 2, name)
            self.assertRegex(titles[0], r"must run before line 5 at \(\d+, \d+\)$")
            self.assertRegex(titles[1], r"must run after line 5 at \(\d+, \d+\)$")
            # The first one is what the other one reads: a[i - 1][j + 1].
            early, late = ([int(v) for v in re.findall(r"= (\d+)", title.split(";")[0])] for title in titles)
            self.assertEqual([late[0] - 1, late[1] + 1], early)
        self.assertIn("wave___0.jscop", text)

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.browser.call("actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def test_keys_are_enough(self):
        run = self.open("skewing")
        tab, right, space = "\ue004", "\ue014", " "
        keys = []
        for _ in range(60):
            self.press(tab)
            keys.append(run("return document.activeElement.dataset.key || document.activeElement.className"))
            if keys[-1] == "time":
                break
        for wanted in ("skip", "step-0", "param-0", "play", "on", "time"):
            self.assertIn(wanted, keys)
        before = run("return document.querySelector('[data-key=param-0]').value")
        run("document.querySelector('[data-key=param-0]').focus()")
        self.press(right)
        self.assertEqual(run("return document.activeElement.dataset.key"), "param-0")
        self.assertEqual(int(run("return document.activeElement.value")), int(before) + 1)
        run("document.querySelector('[data-key=step-0]').focus()")
        self.press(space)
        self.assertEqual(run("return document.querySelector('[data-key=step-0]').getAttribute('aria-pressed')"), "true")

    def media(self, media="", **features):
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.browser.call("goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": media, "features": features}})

    def test_light_dark_and_paper(self):
        run = self.open("heat")
        self.addCleanup(self.media)
        colours = "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]"
        bright = lambda colour: sum(int(v) for v in colour[4:-1].split(", "))
        self.media(prefers_color_scheme="light")
        paper, ink = map(bright, run(colours))
        self.assertGreater(paper, ink + 300)
        self.media(prefers_color_scheme="dark")
        paper, ink = map(bright, run(colours))
        self.assertGreater(ink, paper + 300)
        self.media("print", prefers_color_scheme="dark")
        paper, ink = map(bright, run(colours))
        self.assertGreater(paper, ink + 300)
        self.assertEqual(run("return [...document.querySelectorAll('.controls')].filter((e) => e.getClientRects().length).length"), 0)
        printed = base64.b64decode(self.browser.call("print", {}))
        self.assertTrue(printed.startswith(b"%PDF") and len(printed) > 20_000)

    def test_nests_have_a_picture_for_the_documentation(self):
        for name in ("tiling", "skewing", "heat"):
            self.open(name)
            nest = self.browser.call("element", {"using": "css selector", "value": "#nest-0"})
            picture = base64.b64decode(self.browser.call(f"element/{next(iter(nest.values()))}/screenshot"))
            self.assertGreater(len(picture), 10_000, name)
            if os.environ.get("POLYRS_UPDATE_TESTS"):
                (ROOT / "docs" / "figures" / f"{name}.png").write_bytes(picture)

    def test_pictures_have_one_scale_and_words_that_can_be_read(self):
        for name in ("tiling", "skewing", "product", "heat"):
            run = self.open(name)
            scales = run("return [...document.querySelectorAll('#nest-0 figure svg')].map((s) => s.getBoundingClientRect().width / s.viewBox.baseVal.width)")
            self.assertEqual(len(scales), 2, name)
            self.assertAlmostEqual(*scales, delta=0.02, msg=name)
            self.assertGreater(min(scales), 0.85, name)

    def test_a_narrow_window_scrolls_in_its_parts_only(self):
        run = self.open("product")
        run("document.body.style.width = '380px'")
        edge = "document.body.getBoundingClientRect().right"
        for part in ("overview", "nest-0"):
            self.assertLessEqual(run(f"return document.getElementById('{part}').getBoundingClientRect().right - {edge}"), 0, part)
        wide = f"[...document.querySelectorAll('table')].filter((t) => t.getBoundingClientRect().right > {edge} && !t.closest('#overview, details'))"
        self.assertEqual(run(f"return {wide}.length"), 0)

    def test_everything_can_be_reached_and_has_a_name(self):
        run = self.open("heat")
        nameless = "[...document.querySelectorAll('input, select, button')].filter((e) => !e.closest('label') && !e.textContent && !e.getAttribute('aria-label')).length"
        self.assertEqual(run(f"return {nameless}"), 0)
        self.assertEqual(run("return [...document.querySelectorAll('svg')].filter((e) => !e.getAttribute('aria-label')).length"), 0)


if __name__ == "__main__":
    unittest.main()
