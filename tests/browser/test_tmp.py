import os, pytest, time, random
from tests.browser.visitor import visiting
from tests.browser.script_runs import ScriptRuns
from tests.browser.test_journeys import bank_csv
pytestmark=[pytest.mark.browser]
@pytest.mark.timeout(0)
def test_x(chromium, tmp_path):
    bad=0
    for r in range(int(os.environ.get("ROUNDS","40"))):
        f=tmp_path/str(r); f.mkdir()
        (f/"bank.csv").write_text(bank_csv())
        with visiting(chromium, f) as v:
            log=[]
            t0=time.time()
            v.page.on("response", lambda a: log.append((round(time.time()-t0,2),a.request.method,a.status,a.url[:90])) if "upload" in a.url else None)
            v.page.on("requestfailed", lambda a: log.append((round(time.time()-t0,2),"FAILED",a.method,a.url[:90],a.failure)))
            v.page.on("console", lambda m: log.append((round(time.time()-t0,2),"console",m.type,m.text[:300])))
            v.go("Data"); log.append((round(time.time()-t0,2),"added"))
            v.page.locator("input[type=file]").first.set_input_files([f/"bank.csv"])
            v.page.get_by_test_id("stFileChipName").first.wait_for(state="attached")
            v.page.get_by_test_id("stFileChipIconSpinner").first.wait_for(state="detached")
            v.settle()
            chips=v.page.evaluate("[...document.querySelectorAll('[data-testid=stFileChips]')].map(x=>x.innerHTML)")
            log.append((round(time.time()-t0,2),"import"))
            v.press("Import")
            text=v.text()
            if "Choose at least one" in text or "40 transactions" not in text and "transactions" not in text:
                bad+=1; print("BAD",r,log,chips,text[:1500],flush=True)
            else: print("ok",r,len(log),flush=True)
    assert not bad
