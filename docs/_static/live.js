// Gives an example image of the gallery to the page of a model, as if it had been dropped there.
for (const button of document.querySelectorAll("button[data-live]")) {
  button.onclick = async () => {
    const page = document.getElementById(button.dataset.live).contentWindow;
    const transfer = new page.DataTransfer();
    const content = await (await fetch(button.firstElementChild.src)).blob();
    transfer.items.add(new page.File([content], `${button.title}.png`, { type: "image/png" }));
    page.document.querySelector("form").dispatchEvent(new page.DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
  };
}
