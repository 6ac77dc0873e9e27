// Python and the certified engine, apart from the page so that a long computation can be ended. All of it comes in the
// first message; nothing is fetched.
let answered;

async function start(files) {
  const script = (name) => URL.createObjectURL(new Blob([files[name]], { type: "text/javascript" }));
  self.importScripts = undefined; // a module worker in all but name: browsers start none from a page of the disk
  self.fetch = async (address) => {
    const name = String(address.url ?? address).split("/").pop();
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(files[name], { headers: { "Content-Type": type } });
  };
  const { loadPyodide } = await import(script("pyodide.mjs"));
  const lock = JSON.parse(new TextDecoder().decode(files["pyodide-lock.json"]));
  const python = await loadPyodide({
    indexURL: "https://parts.invalid/", // never asked: see fetch above
    createPyodideModule: (await import(script("pyodide.asm.mjs"))).default,
    lockFileContents: { ...lock, packages: {} },
  });
  for (const name of Object.keys(files)) {
    if (name.endsWith(".whl")) await python.unpackArchive(files[name].buffer, "wheel");
  }
  await python.unpackArchive(files["engine.zip"].buffer, "zip");
  answered = python.runPython("from ndis_verify.reference.calculator import answered; answered");
}

self.onmessage = async ({ data }) => {
  try {
    if (!answered) await start(data);
    else self.postMessage(answered(data));
    if (data["engine.zip"]) self.postMessage("ready");
  } catch (error) {
    self.postMessage(JSON.stringify({ error: { kind: "internal", message: String(error) } }));
  }
};
