"""Pages of `polyrs explain --html` in a browser: they load without an error, and sliders, steps and animation do something.
With POLYRS_UPDATE_TESTS=1 the pictures in docs/figures are made anew."""
import base64
import json
import os
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
        cls.browser = Browser(Path(cls.folder.name) / "profile")
        cls.addClassCleanup(cls.browser.close)

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
            self.assertGreaterEqual(steps, 2, name)
            for k in range(run("return document.querySelector('.steps').children.length")):
                code = run(f"document.querySelector('[data-key=step-{k}]').click(); return document.querySelector('.nest pre').textContent")
                self.assertIn("for (", code)
                self.assertEqual(run("return document.querySelector('.steps [aria-pressed=true]').dataset.key"), f"step-{k}")
            self.assertNotIn("✗", run("return document.querySelector('#nest-0').textContent"), name)

    def test_tiles_of_two_by_two(self):
        run = self.open("tiling")
        self.assertEqual(run("return document.querySelectorAll('.point').length"), 32)
        self.assertEqual(run("return document.querySelectorAll('.tile').length"), 4)
        self.assertIn("a[", run("return document.querySelector('.nest pre').textContent"))

    def test_footprints_fit_caches_and_tiles_save_traffic(self):
        run = self.open("product")
        text = run("const d = document.querySelector('#nest-0 .footprint'); d.open = true; return d.textContent")
        self.assertIn("one iteration of i", text)
        self.assertIn("in tiles of", text)
        rows = run("return [...document.querySelectorAll('#nest-0 .traffic tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
        self.assertEqual(len(rows), 3)
        per_byte = [[float(cell.split(": ")[1].split(" ")[0]) for cell in row[1:]] for row in rows]
        self.assertTrue(all(new > old for old, new in per_byte[:1]), rows)

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
        self.assertIn("1. Stmt0: i = 0, j = 0", run("return document.querySelector('.live').textContent"))
        run("document.querySelector('[data-key=play]').click()")
        deadline = time.monotonic() + 30
        while run("return document.querySelector('[data-key=time]').value") == "1" and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertGreater(int(run("return document.querySelector('[data-key=time]').value")), 1)

    def test_nests_have_a_picture_for_the_documentation(self):
        for name in PAGES:
            self.open(name)
            nest = self.browser.call("element", {"using": "css selector", "value": "#nest-0"})
            picture = base64.b64decode(self.browser.call(f"element/{next(iter(nest.values()))}/screenshot"))
            self.assertGreater(len(picture), 10_000, name)
            if os.environ.get("POLYRS_UPDATE_TESTS"):
                (ROOT / "docs" / "figures" / f"{name}.png").write_bytes(picture)

    def test_everything_can_be_reached_and_has_a_name(self):
        run = self.open("heat")
        nameless = "[...document.querySelectorAll('input, select, button')].filter((e) => !e.closest('label') && !e.textContent && !e.getAttribute('aria-label')).length"
        self.assertEqual(run(f"return {nameless}"), 0)
        self.assertEqual(run("return [...document.querySelectorAll('svg')].filter((e) => !e.getAttribute('aria-label')).length"), 0)


if __name__ == "__main__":
    unittest.main()
