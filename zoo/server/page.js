// Asks the server for answers.
(() => {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const base = `/v1/models/${encodeURIComponent(facts.name)}`;

  async function post(verb, body) {
    const response = await fetch(`${base}:${verb}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error((await response.json()).error);
    return response;
  }

  async function predict(row) {
    const request = facts.rows ? { instances: [row] } : { inputs: row };
    const answer = await (await post("predict", { signature_name: facts.signature, ...request })).json();
    return facts.rows ? answer.predictions[0] : answer.outputs;
  }

  async function stream(text, write) {
    const pieces = (await post("stream", { text })).body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "", next; !(next = await pieces.read()).done; ) {
      const lines = (rest + next.value).split("\n");
      rest = lines.pop();
      for (const piece of lines.map((each) => JSON.parse(each))) {
        if (piece.error) throw new Error(piece.error);
        write(piece.text);
      }
    }
  }

  const attend = async (row) => (await post("attention", { [facts.attention]: row[facts.attention] })).json();

  openForm(facts, { predict, stream, attend });
})();
