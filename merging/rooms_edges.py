import ast,sys,os,subprocess
os.chdir(sys.argv[1])
fs=[f for f in subprocess.run(["git","ls-files","resources"],capture_output=True,text=True).stdout.split() if f.endswith(".py")]
def mod(f):
    m=f[:-3].replace("/","."); return m[:-9] if m.endswith(".__init__") else m
mods={mod(f) for f in fs}
for f in fs:
    src=mod(f); t=ast.parse(open(f).read()); names={}
    for n in ast.walk(t):
        if isinstance(n,ast.ImportFrom) and n.module and n.module.startswith("resources"):
            for a in n.names:
                full=n.module+"."+a.name
                names.setdefault(full if full in mods else n.module,set()).add(a.name)
        elif isinstance(n,ast.Import):
            for a in n.names:
                if a.name in mods: names.setdefault(a.name,set())
    for k,v in sorted(names.items()):
        if k.split(".")[1]!="types" and src.split(".")[1:2]!=k.split(".")[1:2]: print(src,"->",k,",".join(sorted(v)))
