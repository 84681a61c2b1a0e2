# schemas.py WHEEL VERSION DIR KIND...: writes the schemas of kinds, for kubeconform, from the Python package
# kubernetes-validate. References are replaced by what they refer to, and unknown fields are errors.
import json, os, sys, zipfile

wheel, version, out, *kinds = sys.argv[1:]
prefix = f"kubernetes_validate/kubernetes-json-schema/v{version}-local/"
os.makedirs(out, exist_ok=True)


def inline(x, defs, above):
    if isinstance(x, list):
        return [inline(y, defs, above) for y in x]
    if not isinstance(x, dict):
        return x
    if isinstance(x.get("$ref"), str):
        name = x["$ref"].rsplit("/", 1)[1]
        return {} if name in above else inline(defs[name], defs, above | {name})
    x = {k: inline(v, defs, above) for k, v in x.items() if k not in ("$schema", "$id", "$defs", "description")}
    if isinstance(x.get("properties"), dict) and "type" in x:
        x.setdefault("additionalProperties", False)  # a field that Kubernetes does not know is an error
    return x


with zipfile.ZipFile(wheel) as z:
    defs = json.loads(z.read(prefix + "_definitions.json"))
    defs = defs.get("$defs") or defs["definitions"]
    for name in z.namelist():
        kind = os.path.basename(name)
        if name.startswith(prefix) and kind.split("-")[0] in kinds:
            with open(os.path.join(out, kind), "w") as f:
                json.dump(inline(json.loads(z.read(name)), defs, frozenset()), f)
