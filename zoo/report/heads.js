// Where each token looks: hover over a token of the upper text to color the lower one by its weights.
const browseHeads = (root, data) => {
  const [choices, from, to] = ["choices", "from", "to"].map((name) => root.querySelector("." + name));
  const parts = {
    encoder: "encoder self-attention",
    decoder: "decoder self-attention",
    cross: "cross-attention, output to input",
  };
  const state = { text: 0, part: "", layer: 0, head: -1, row: 0 };

  const weights = (encoded) => Uint8Array.from(atob(encoded), (each) => each.charCodeAt(0));

  function select(name, options) {
    const label = document.createElement("label");
    const list = document.createElement("select");
    list.name = name;
    for (const [value, text] of options) list.add(new Option(text, value));
    list.value = state[name];
    list.onchange = () => choose({ [name]: name === "part" ? list.value : Number(list.value) });
    label.append(name + " ", list);
    choices.append(label);
  }

  function choose(change) {
    Object.assign(state, change);
    const own = data[state.text].parts;
    if (!(state.part in own)) state.part = Object.keys(own).at(-1);
    const { layers, heads, rows } = own[state.part];
    state.layer = Math.min(state.layer, layers.length - 1);
    state.head = Math.min(state.head, heads - 1);
    state.row = Math.min(state.row, rows.length - 1);
    draw();
    for (const name in change) choices.querySelector(`[name=${name}]`).focus();
  }

  function draw() {
    const found = data[state.text].parts[state.part];
    choices.replaceChildren();
    if (data.length > 1) select("text", data.map((each, i) => [i, each.text]));
    select("part", Object.keys(data[state.text].parts).map((each) => [each, parts[each] ?? each]));
    select("layer", found.layers.map((_, i) => [i, i + 1]));
    select("head", [[-1, "mean"], ...[...Array(found.heads).keys()].map((i) => [i, i + 1])]);
    found.flat ??= found.layers.map(weights);
    from.replaceChildren(...found.rows.map(token));
    to.replaceChildren(...found.columns.map(token));
    [...from.children].forEach((each, row) => {
      each.tabIndex = 0;
      each.onmouseover = each.onfocus = () => look(row);
    });
    look(state.row);
  }

  function token(text) {
    const each = document.createElement("bdi");
    each.textContent = text;
    return each;
  }

  function look(row) {
    state.row = row;
    const { flat, heads, rows, columns } = data[state.text].parts[state.part];
    const chosen = state.head < 0 ? [...Array(heads).keys()] : [state.head];
    const size = rows.length * columns.length;
    [...from.children].forEach((each, i) => each.classList.toggle("chosen", i === row));
    [...to.children].forEach((each, column) => {
      const at = (head) => flat[state.layer][head * size + row * columns.length + column] / 255;
      const weight = chosen.reduce((sum, head) => sum + at(head), 0) / chosen.length;
      each.style.setProperty("--weight", weight.toFixed(3));
      each.title = weight.toFixed(2);
    });
  }

  choose({});
};
