// focus.ts - parts of the page are made anew when what they show is another; who is there with the keyboard stays there. What the
// pointer used does not matter: keys are the page's then.

const reachable = "button, select, input, textarea, [tabindex]";

// What has the focus before has it afterwards: by its id, else by its place within the part that has one.
export function keepFocus(build: () => void): void {
  const was = document.activeElement, box = was?.parentElement?.closest<HTMLElement>("[id]");
  if (!(was instanceof HTMLElement) || !was.matches(":focus-visible") || !box) {
    build();
    return;
  }
  const place = [...box.querySelectorAll(reachable)].indexOf(was);
  build();
  if (was.isConnected && document.activeElement === was) return;
  const now = (was.id ? document.getElementById(was.id) : null) ?? document.getElementById(box.id)?.querySelectorAll<HTMLElement>(reachable)[place];
  now?.focus({ preventScroll: true });
}
