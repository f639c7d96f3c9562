#!/usr/bin/env python3
"""FMUs that break a rule of the standard are refused by `flexion fmu check`, each with its reason.

    damaged.py FLEXION MODEL
"""
import io
import os
import subprocess
import sys
import tempfile
import zipfile

flexion, model = sys.argv[1:]
DESCRIPTION = "modelDescription.xml"


def change(old, new, count=1):
    """A description in which a text is another one."""
    def damage(files):
        text = files[DESCRIPTION].decode()
        assert old in text, old
        files[DESCRIPTION] = text.replace(old, new, count).encode()
        return files
    return damage


def without(name):
    return lambda files: {key: value for key, value in files.items() if not key.startswith(name)}


def with_file(name, data):
    return lambda files: {**files, name: data}


# What is done to it, and what the checker has to say.
DAMAGED = [
    ("no description", without(DESCRIPTION), "it has no modelDescription.xml"),
    ("no XML", change("</ModelVariables>", "</ModelVariable>"), "this is no XML"),
    ("another version", change('fmiVersion="2.0"', 'fmiVersion="1.0"'), "2.0 and 3.0 are read"),
    ("no guid", change(' guid="', ' uid="'), "has no guid"),
    ("neither kind", change("<CoSimulation ", "<Cosimulation "), "the standard knows no element <Cosimulation>"),
    ("no identifier of C", change('modelIdentifier="cart"', 'modelIdentifier="2 carts"'), "no identifier of C"),
    ("two of one name", change('name="kd"', 'name="kp"'), "two variables are called 'kp'"),
    ("start of an input", change(' start="0"/>', "/>"), "needs a start"),
    ("start of an output", change('<Real unit="m"/>', '<Real unit="m" start="1"/>'), "is calculated, and has a start"),
    ("start is no number", change('start="0.6"', 'start="0,6"'), "start is a number, not '0,6'"),
    ("variability", change('causality="input" variability="continuous"', 'causality="input" variability="fixed"'),
     "does not go with causality 'input'"),
    ("initial", change('initial="calculated"', 'initial="exactly"'), "initial 'exactly'"),
    ("causality", change('causality="parameter"', 'causality="knob"'), "there is no causality 'knob'"),
    ("unit", change('<Unit name="N">', '<Unit name="kN">'), "the unit 'N' is not among"),
    ("display unit", change('<DisplayUnit name="deg"', '<DisplayUnit name="degree"'), "no display unit 'deg'"),
    ("output not listed", change("<Unknown index=", "<Other index="), "is not listed in <ModelStructure>"),
    ("index of nothing", change('<Unknown index="', '<Unknown index="9'), "which no variable has"),
    ("order of elements", change("<LogCategories>", "<DefaultExperiment/><LogCategories>"), "comes before"),
    ("one reference", change('valueReference="16777217"', 'valueReference="50331648"'), "have one valueReference"),
    ("reference", change('valueReference="16777217"', 'valueReference="-3"'), "no valueReference that is a whole number"),
    ("flag", change('canGetAndSetFMUstate="true"', 'canGetAndSetFMUstate="yes"'), "is true or false, not 'yes'"),
    ("states", change('canGetAndSetFMUstate="true"', 'canGetAndSetFMUstate="false"'), "can be serialised, and not be saved"),
    ("unknown attribute", change(' causality="input"', ' causality="input" colour="red"'), "has no attribute colour in FMI 2.0"),
    ("attribute of the other version", change('providesDirectionalDerivative="', 'providesDirectionalDerivatives="'),
     "has no attribute providesDirectionalDerivatives"),
    ("number", change('stopTime="', 'stopTime="end '), "stopTime is a number"),
    ("flag of the schema", change('canRunAsynchronuously="false"', 'canRunAsynchronuously="no"'), "is true or false, not 'no'"),
    ("exponent of a unit", change('<BaseUnit kg="1"', '<BaseUnit kg="one"'), "kg is a number"),
    ("library", with_file("binaries/linux64/cart.so", b"MZ" + bytes(100)), "is no library of this system"),
    ("nothing to run", without("binaries"), "neither binaries nor sources"),
    ("leads out", with_file("../evil.txt", b"x"), "leads out of the archive"),
    ("entity", change("<fmiModelDescription", '<!DOCTYPE f [<!ENTITY a "b">]><fmiModelDescription'), "entities are not read"),
]

# The same of model exchange.
OF_EXCHANGE = [
    ("begun anew", change('<Real unit="N" start="0"', '<Real unit="N" start="0" reinit="true"'), "reinit is said of states"),
    ("no state", change(' derivative="15"', ""), "is that of no state"),
    ("derivative of nothing", change(' derivative="15"', ' derivative="1500"'), "the derivative of no variable '1500'"),
]


def pack(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def check(path):
    run = subprocess.run([flexion, "fmu", "check", path], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        good, bad = os.path.join(folder, "good.fmu"), os.path.join(folder, "bad.fmu")

        def export(*options):
            subprocess.run([flexion, "export", "fmu", model, "-o", good, *options], check=True, capture_output=True)
            with zipfile.ZipFile(good) as archive:
                assert archive.testzip() is None
                files = {name: archive.read(name) for name in archive.namelist()}
            library = next(name for name in files if name.startswith("binaries"))
            files[library] = files[library][:4096]  # nothing is run
            return files

        def expect(name, data, text):
            with open(bad, "wb") as file:
                file.write(data)
            code, said = check(bad)
            if code != 2 or text not in said:
                wrong.append(f"{name}: exit status {code}, expected '{text}' in\n{said}")

        exchange = export("--type", "me")
        for name, damage, text in OF_EXCHANGE:
            expect(name, pack(damage(dict(exchange))), text)
        files = export()
        code, said = check(good)
        if code != 0:
            wrong.append(f"the good one is refused:\n{said}")
        for name, damage, text in DAMAGED:
            expect(name, pack(damage(dict(files))), text)
        whole = pack(files)
        expect("cut off", whole[:-30], "no directory at its end")
        expect("no archive", b"hello", "is no zip archive")
        at = whole.index(b"guid=") # stored, not packed
        expect("damaged", whole[:at] + b"GUID" + whole[at + 4:], "its checksum is another one")
        # tables of inputs
        table = os.path.join(folder, "inputs.csv")
        for text, said in (("t,F\n", "has no row"), ("t,F\n1,1\n0,2\n", "after 1 comes 0"),
                           ("t,F,F\n0,1,2\n", "two columns 'F'")):
            with open(table, "w", encoding="ascii") as file:
                file.write(text)
            run = subprocess.run([flexion, "fmu", "run", good, "--input", table],
                                 capture_output=True, text=True)
            if run.returncode != 2 or said not in run.stderr:
                wrong.append(f"inputs {text!r}: {run.returncode}, expected '{said}' in\n{run.stderr}")
        # whatever bytes: never a crash
        for i in range(0, 40):
            k = len(whole) - 1 - 13 * i
            with open(bad, "wb") as file:
                file.write(whole[:k] + bytes([whole[k] ^ 0x55]) + whole[k + 1:])
            code, said = check(bad)
            if code not in (0, 2):
                wrong.append(f"byte {k}: exit status {code}\n{said}")
    print("\n".join(wrong))
    return len(wrong) > 0


sys.exit(main())
