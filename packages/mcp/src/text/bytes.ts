/** Bytes of a member and of its copy inside a text, which every result has. */
export function bytesTwice(value: unknown): number {
  const json = JSON.stringify(value)
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json))
}
