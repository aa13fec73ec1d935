import { defaultTreeAdapter, html as names, parseFragment, serialize } from 'parse5'
import sanitizeHtml from 'sanitize-html'
import { MAX_OUTPUT_BYTES } from './render-job.ts'

/** Deeper elements are left out; their words stay. */
const MAX_DEPTH = 200

/**
 * An app's mark-up for the frame of a mail: words, tables and colours are left. No style sheet, script, form, image or
 * other remote part is, and nothing that could leave the frame, cover it or be clipped by it. A link to a host other
 * than the given ones shows its host. The result is balanced.
 * @throws Error when it is too large
 * @see D98
 */
export function cleanHtml(html: string, ownHosts: readonly string[]): string {
  const cleaned = sanitizeHtml(html, {
    ...RULES,
    transformTags: {
      a: (_name, { href = '', style, title }) => ({
        tagName: 'a',
        attribs: { ...(style && { style }), ...(title && { title }), ...linkOf(href, ownHosts) },
      }),
      img: (_name, { alt = '' }) => ({ tagName: 'span', attribs: {}, text: alt }),
      table: (_name, { style = '', width, ...attribs }) => ({
        tagName: 'table',
        attribs: { ...attribs, style: width === undefined ? style : `${style};width:100%` },
      }),
      // As wide as it is written, a line could leave the frame.
      pre: () => ({ tagName: 'pre', attribs: { style: 'white-space:pre-wrap' } }),
    },
  })
  const shown = showHosts(cleaned)
  if (Buffer.byteLength(shown) > MAX_OUTPUT_BYTES) throw new Error('output too large')
  return asRead(shown)
}

/** As browsers read it below an element: a cell without a table would end the one that the frame is made of. */
function asRead(html: string): string {
  const frame = defaultTreeAdapter.createElement('div', names.NS.HTML, [])
  return serialize(parseFragment(frame, html, {}))
}

/** Target and shown text of a link; undefined for a link without an address. */
function linkOf(href: string, ownHosts: readonly string[]): Record<string, string> {
  const url = URL.parse(href.trim())
  if (url?.protocol === 'mailto:') return { href: url.href, [SHOWN]: url.pathname }
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return {}
  // What stands before an @ reads like a host.
  url.username = ''
  url.password = ''
  return { href: url.href, ...(!ownHosts.includes(url.host) && { [SHOWN]: url.host }) }
}

const SHOWN = 'data-shown'
/** Beginnings and ends of links: the library escapes angle brackets in all else that it writes. */
const LINK = /<a(?: [^>]*)?>|<\/a>/g
const SHOWN_VALUE = new RegExp(` ${SHOWN}="([^"]*)"`)

/** Writes behind each link what is to be shown of its address, so that no style of the link or around it hides it. */
function showHosts(html: string): string {
  const open: string[] = []
  return html.replaceAll(LINK, (tag) => {
    if (tag !== '</a>') {
      open.push(SHOWN_VALUE.exec(tag)?.[1] ?? '')
      return tag.replace(SHOWN_VALUE, '')
    }
    const shown = open.pop() ?? ''
    return shown === '' ? tag : `${tag} <span dir="ltr" style="${SHOWN_STYLE}">(${shown})</span>`
  })
}

const SHOWN_STYLE =
  'display:inline;font:400 13px/20px monospace;letter-spacing:normal;text-decoration:none;text-transform:none;color:#17211e;background-color:#ffffff;'

const COLOR = /^(?:#[\da-f]{3,8}|[a-z]{3,20}|rgba?\([\d.,%\s]{5,40}\))$/i
/** Never negative: what is moved could cover the frame. */
const SPACE =
  /^(?:auto|(?:\d|[1-5]\d|6[0-4])(?:\.\d+)?(?:px|pt)?|[0-3](?:\.\d+)?r?em)(?:\s+(?:auto|(?:\d|[1-5]\d|6[0-4])(?:\.\d+)?(?:px|pt)?|[0-3](?:\.\d+)?r?em)){0,3}$/i
const WORD = /^[a-z-]{1,30}$/i
const BORDER = /^(?:none|0|(?:[0-9]px)\s+[a-z]{4,8}(?:\s+(?:#[\da-f]{3,8}|[a-z]{3,20}))?)$/i
const PERCENT = /^(?:\d{1,2}|100)%$/

const SPACES = ['', '-top', '-right', '-bottom', '-left']
const STYLES: Readonly<Record<string, RegExp[]>> = {
  ...Object.fromEntries(SPACES.map((side) => [`margin${side}`, [SPACE]])),
  ...Object.fromEntries(SPACES.map((side) => [`padding${side}`, [SPACE]])),
  ...Object.fromEntries(SPACES.map((side) => [`border${side}`, [BORDER]])),
  background: [COLOR],
  'background-color': [COLOR],
  'border-collapse': [WORD],
  'border-color': [COLOR],
  'border-radius': [SPACE],
  color: [COLOR],
  display: [/^(?:none|block|inline|inline-block)$/],
  'font-family': [/^[\w\s,'"-]{1,200}$/],
  'font-size': [
    /^(?:[1-2]?\d(?:\.\d+)?(?:px|pt)|[0-1](?:\.\d+)?r?em|1?\d{2}%|(?:x-)?(?:small|large))$/i,
  ],
  'font-style': [WORD],
  'font-weight': [/^(?:[a-z]{4,8}|[1-9]00)$/],
  'line-height': [/^(?:normal|[12](?:\.\d+)?|1\d\d%|[2-4]\d(?:\.\d+)?px)$/],
  'list-style-type': [WORD],
  'text-align': [WORD],
  'text-decoration': [WORD],
  'text-transform': [WORD],
  'vertical-align': [WORD],
  'white-space': [/^pre-wrap$/],
  width: [PERCENT],
}

const RULES: sanitizeHtml.IOptions = {
  allowedTags: [
    [
      'a',
      'abbr',
      'address',
      'article',
      'aside',
      'b',
      'bdi',
      'blockquote',
      'br',
      'caption',
      'center',
    ],
    [
      'cite',
      'code',
      'col',
      'colgroup',
      'dd',
      'del',
      'div',
      'dl',
      'dt',
      'em',
      'figcaption',
      'figure',
    ],
    ['font', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'i', 'ins', 'kbd', 'li'],
    ['main', 'mark', 'ol', 'p', 'pre', 'q', 's', 'samp', 'section', 'small', 'span', 'strike'],
    [
      'strong',
      'sub',
      'sup',
      'table',
      'tbody',
      'td',
      'tfoot',
      'th',
      'thead',
      'time',
      'tr',
      'tt',
      'u',
    ],
    ['ul', 'var', 'wbr'],
  ].flat(),
  allowedAttributes: {
    '*': ['align', 'bgcolor', 'color', 'dir', 'lang', 'style', 'title', 'valign'],
    a: ['href', SHOWN],
    ol: ['start', 'type'],
    table: [
      { name: 'border', values: ['0', '1'] },
      { name: 'cellpadding', values: ['0'] },
      { name: 'cellspacing', values: ['0'] },
      { name: 'role', values: ['presentation'] },
    ],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedStyles: { '*': STYLES },
  allowedSchemes: ['http', 'https', 'mailto'],
  nestingLimit: MAX_DEPTH,
  // Their text is not part of the mail.
  nonTextTags: [
    ['embed', 'iframe', 'math', 'noembed', 'noframes', 'noscript', 'object', 'option', 'script'],
    ['select', 'style', 'svg', 'template', 'textarea', 'title', 'xmp'],
  ].flat(),
}
