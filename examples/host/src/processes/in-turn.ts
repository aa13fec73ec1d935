/** Does something with each, the next once the one before is done: what starts or ends has an order. */
export async function inTurn<Part>(
  parts: readonly Part[],
  act: (part: Part) => Promise<void>,
): Promise<void> {
  for (const part of parts) await act(part)
}
