/** Words within a paragraph, or a link: to a web address or a path of the instance. */
export type SlotPart = string | { readonly text: string; readonly href: string }

/** A paragraph of the host: words, or words and links in order. Never markup. */
export type SlotParagraph = string | readonly SlotPart[]

/** A part of a paragraph that was looked at. */
export interface ShownPart {
  readonly text: string
  readonly href?: string
}

const LOCAL_PATH = /^\/(?!\/)[\w./-]{1,500}$/u
const MAX_CHARACTERS = 600
const MAX_PARAGRAPHS = 10

/**
 * Whether a text is a path that leads into an instance, and nowhere else.
 * @example
 * const isRight = isLocalPath('/settings')
 */
export function isLocalPath(path: string): boolean {
  return LOCAL_PATH.test(path)
}

/**
 * Whether a link of the host may lead there: a web address, or a path of the instance.
 * @example
 * const isRight = isLinkTarget('https://example.org/help')
 */
export function isLinkTarget(href: string): boolean {
  return (/^https?:\/\//u.test(href) && URL.canParse(href)) || isLocalPath(href)
}

/**
 * What the host says on a page or in a mail, looked at.
 * @param given - whatever the host's function answered
 * @param origin - in front of paths; empty on the instance's own pages
 * @throws TypeError for anything but a few paragraphs of words and links
 * @example
 * const paragraphs = readParagraphs([['Ask ', { text: 'us', href: 'https://example.org/' }]], '')
 */
export function readParagraphs(given: unknown, origin: string): readonly (readonly ShownPart[])[] {
  if (!Array.isArray(given) || given.length > MAX_PARAGRAPHS)
    throw new TypeError(`a slot answers a list of at most ${MAX_PARAGRAPHS} paragraphs`)
  const paragraphs = given.map((paragraph: unknown) =>
    (Array.isArray(paragraph) ? paragraph : [paragraph]).map((part: unknown) =>
      readPart(part, origin),
    ),
  )
  const length = paragraphs.flat().reduce((sum, { text }) => sum + [...text].length, 0)
  if (length > MAX_CHARACTERS)
    throw new TypeError(`a slot has at most ${MAX_CHARACTERS} characters`)
  return paragraphs
}

function readPart(part: unknown, origin: string): ShownPart {
  if (typeof part === 'string') return { text: part }
  if (typeof part !== 'object' || part === null) throw new TypeError('a slot has words and links')
  const { text, href } = part as { readonly text?: unknown; readonly href?: unknown }
  if (typeof text !== 'string' || typeof href !== 'string' || !isLinkTarget(href))
    throw new TypeError('a link of a slot has a text, and leads to a web address or a path')
  return { text, href: href.startsWith('/') ? `${origin}${href}` : href }
}
