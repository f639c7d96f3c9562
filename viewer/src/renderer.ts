// renderer.ts - who draws the pictures: a graphics card or the processor.

// Who draws, as it calls itself; "": it does not tell.
export function rendererName(g: WebGLRenderingContext | WebGL2RenderingContext): string {
  const info = g.getExtension("WEBGL_debug_renderer_info");
  return info ? String(g.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
}

let soft: boolean | null = null;

// Without a graphics card smooth edges and many spheres take longer than all else of a picture.
export function drawsInSoftware(): boolean {
  if (soft !== null) return soft;
  const g = document.createElement("canvas").getContext("webgl2");
  soft = g !== null && /swiftshader|llvmpipe|softpipe|software/i.test(rendererName(g));
  g?.getExtension("WEBGL_lose_context")?.loseContext();
  return soft;
}
