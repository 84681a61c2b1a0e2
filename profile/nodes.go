package profile

import (
	"path"
	"strings"
)

// nodeKey identifies nodes: strings are ids of nodeTable, so that nothing is hashed twice.
type nodeKey struct {
	name, file, object uint32
	line               int32
	addr               uint64
}

// nodeTable assigns nodes to keys.
type nodeTable struct {
	v       *View
	ids     map[nodeKey]uint32
	strings map[string]uint32
	texts   []string
}

func newNodeTable(v *View) *nodeTable {
	return &nodeTable{v: v, ids: make(map[nodeKey]uint32), strings: map[string]uint32{"": 0}, texts: []string{""}}
}

func (t *nodeTable) str(s string) uint32 {
	id, ok := t.strings[s]
	if !ok {
		id = uint32(len(t.texts))
		t.strings[s] = id
		t.texts = append(t.texts, s)
	}
	return id
}

// node returns the id of the node with a key. file, the id of a string, is shown for it but does
// not distinguish it if the key has none.
func (t *nodeTable) node(k nodeKey, file uint32) uint32 {
	id, ok := t.ids[k]
	if !ok {
		id = uint32(len(t.v.nodes))
		t.ids[k] = id
		if k.file != 0 {
			file = k.file
		}
		t.v.nodes = append(t.v.nodes, Node{
			Name: t.texts[k.name], File: t.texts[file], Object: t.texts[k.object], Line: int(k.line), Address: k.addr,
		})
	}
	return id
}

// assignNodes assigns each visible frame its node.
func (v *View) assignNodes() {
	p, by := v.p, v.q.By
	t := newNodeTable(v)
	if by == ByLabel {
		v.assignLabelNodes(t)
	}
	group := v.functionGroups(t)
	names := make([]uint32, len(p.Functions))
	files := make([]uint32, len(p.Functions)) // cleaned
	for i := range p.Functions {
		names[i] = t.str(p.Functions[i].Name)
		if f := p.Functions[i].File; f != "" {
			files[i] = t.str(path.Clean(f))
		}
	}
	objects := make([]uint32, len(p.Mappings))
	for i := range p.Mappings {
		objects[i] = t.str(p.Mappings[i].File)
	}
	v.frameNode = make([]uint32, len(v.frames))
	// Most granularities depend on the function alone.
	byFunction := make([]uint32, len(p.Functions))
	for i := range byFunction {
		byFunction[i] = None
	}
	for i := range p.Locations {
		l := &p.Locations[i]
		object := uint32(0)
		if l.Mapping != None {
			object = objects[l.Mapping]
		}
		for j := v.start[i]; j < v.start[i+1]; j++ {
			ln := p.Lines[v.frames[j]]
			if ln.Function == None {
				k := nodeKey{object: object}
				if by == ByAddress {
					k.addr = l.Address
				}
				v.frameNode[j] = t.node(k, 0)
				continue
			}
			fn := ln.Function
			if id := byFunction[fn]; id != None {
				v.frameNode[j] = id
				continue
			}
			k, once := nodeKey{}, true
			switch by {
			case ByFunction, ByLabel:
				k.name = names[fn]
			case ByFile:
				k.file = files[fn]
			case ByPackage, ByModule:
				k.name = group(fn)
			case ByLine:
				k, once = nodeKey{name: names[fn], file: files[fn], line: ln.Line}, false
			case ByAddress:
				k, once = nodeKey{name: names[fn], file: files[fn], line: ln.Line, addr: l.Address}, false
			}
			shown := uint32(0)
			if by == ByFunction || by == ByLabel {
				shown = files[fn]
			}
			if k.name == 0 && k.file == 0 && once {
				k.object, once = object, false // nothing else is known
			}
			id := t.node(k, shown)
			v.frameNode[j] = id
			if once {
				byFunction[fn] = id
			}
		}
	}
	v.one = make([]uint32, len(p.Locations))
	for i := range v.one {
		switch v.start[i+1] - v.start[i] {
		case 0:
			v.one[i] = hidden
		case 1:
			v.one[i] = v.frameNode[v.start[i]]
		default:
			v.one[i] = several
		}
	}
}

// functionGroups returns a function that maps functions to their package or module, as a string of
// t.
func (v *View) functionGroups(t *nodeTable) func(fn uint32) uint32 {
	moduleOf := v.q.ModuleOf
	if moduleOf == nil {
		moduleOf = GuessModule
	}
	modules := make(map[string]uint32)
	return func(fn uint32) uint32 {
		f := &v.p.Functions[fn]
		if int(fn) >= len(v.p.Functions)-v.p.labelFunctions {
			return t.str(f.Name) // a label has no package
		}
		pkg := PackagePath(f.Name)
		if pkg == "" && strings.HasSuffix(f.File, ".s") {
			// Assembly without a package in its name, such as the runtime's.
			if _, dir, ok := strings.Cut(path.Dir(f.File), "/src/"); ok && IsStd(dir) {
				pkg = dir
			}
		}
		if v.q.By == ByPackage {
			return t.str(pkg)
		}
		id, ok := modules[pkg]
		if !ok {
			id = t.str(moduleOf(pkg))
			modules[pkg] = id
		}
		return id
	}
}

// assignLabelNodes creates a node for each value of the label; several values of one sample are
// joined by commas.
func (v *View) assignLabelNodes(t *nodeTable) {
	v.label = make([]uint32, len(v.p.stacks))
	for i := range v.label {
		value := ""
		for _, l := range v.p.Labels(i) {
			if l.Key != v.q.LabelKey {
				continue
			}
			if value != "" {
				value += ","
			}
			value += l.Value()
		}
		if value == "" {
			value = "(no " + v.q.LabelKey + ")"
		}
		v.label[i] = t.node(nodeKey{name: t.str(value)}, 0)
	}
}
