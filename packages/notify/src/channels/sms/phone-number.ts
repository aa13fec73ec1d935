const E164 = /^\+[1-9]\d{6,14}$/

/** A number as people write it, in E.164; undefined when it is none. @see notifications.md 10.1 "number" */
export function parsePhoneNumber(written: string): string | undefined {
  if (written.length > 64) return undefined
  const number = written.replaceAll(/[\s.()\u2010-\u2015-]/g, '')
  return E164.test(number) ? number : undefined
}
