/**
 * The bytes of `text`, or `undefined` unless it is exactly what encoding them gives: no blanks, no other alphabet,
 * padding as the alphabet has it, no stray bits at the end. So no two texts stand for the same bytes.
 */
export function decodeCanonical(
  text: unknown,
  encoding: 'base64' | 'base64url',
): Buffer<ArrayBuffer> | undefined {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, encoding)
  return bytes.toString(encoding) === text ? bytes : undefined
}
