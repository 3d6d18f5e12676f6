// A button that takes a picture with the camera, on pages where browsers have one: of this computer, or encrypted.
const cameraButton = (place, use, fail) => {
  const button = element("button", "Use the camera", "second");
  button.type = "button";
  const video = element("video");
  [video.muted, video.playsInline, video.hidden] = [true, true, true];
  video.setAttribute("aria-label", "what the camera sees");
  let stream = null;

  function stop() {
    stream?.getTracks().forEach((each) => each.stop());
    [stream, video.srcObject, video.hidden] = [null, null, true];
    button.textContent = "Use the camera";
  }

  async function start() {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    video.srcObject = stream;
    await video.play();
    video.hidden = false;
    button.textContent = "Take the picture";
  }

  async function take() {
    const canvas = element("canvas");
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    canvas.getContext("2d").drawImage(video, 0, 0);
    const picture = await new Promise((done) => canvas.toBlob(done, "image/png"));
    stop();
    use(new File([picture], "camera.png", { type: "image/png" }));
  }

  button.onclick = async () => {
    button.disabled = true;
    try {
      await (stream ? take() : start());
    } catch (error) {
      stop();
      fail(new Error(`no camera: ${error.message}`));
    } finally {
      button.disabled = false;
    }
  };
  place.append(button, video);
};
