import { type DefaultTreeAdapterTypes, html } from 'parse5'

export type HtmlElement = DefaultTreeAdapterTypes.Element
type HtmlNode = DefaultTreeAdapterTypes.ChildNode

/** Value of an element's attribute, with character references decoded. */
export function attributeOf(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value
}

/** Visible words below some nodes, white space collapsed. */
export function textOf(nodes: readonly HtmlNode[]): string {
  return wordsOf(nodes).replaceAll(/\s+/g, ' ').trim()
}

/** Text right below an element, as written. */
export function contentOf(element: HtmlElement): string {
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('')
}

/** Elements below some nodes in document order. */
export function* elementsOf(nodes: readonly HtmlNode[]): Generator<HtmlElement> {
  for (const node of nodes) {
    if (!('tagName' in node)) continue
    yield node
    yield* elementsOf(node.childNodes)
  }
}

function wordsOf(nodes: readonly HtmlNode[]): string {
  return nodes
    .map((node) => {
      if (node.nodeName === '#text' && 'value' in node) return node.value
      if (!('tagName' in node) || INVISIBLE.has(node.tagName)) return ''
      return isInline(node) ? wordsOf(node.childNodes) : ` ${wordsOf(node.childNodes)} `
    })
    .join('')
}

const INVISIBLE = new Set<string>([
  html.TAG_NAMES.SCRIPT,
  html.TAG_NAMES.STYLE,
  html.TAG_NAMES.TEMPLATE,
])

const INLINE = new Set(['a', 'abbr', 'b', 'code', 'em', 'i', 'kbd', 'small', 'span', 'strong'])

function isInline(element: HtmlElement): boolean {
  return INLINE.has(element.tagName)
}
