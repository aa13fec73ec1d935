import Bowser from 'bowser'

/** A longer header is no browser's; the parser's expressions see only this much of it. */
const MAX_LENGTH = 512

/** Operating system named by a `User-Agent`, such as `Windows`, `macOS` or `Android`; undefined when it names none. */
export function osOfUserAgent(userAgent: string): string | undefined {
  if (userAgent === '') return undefined
  return Bowser.getParser(userAgent.slice(0, MAX_LENGTH)).getOSName() || undefined
}
