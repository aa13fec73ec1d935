import { type DefaultTreeAdapterTypes, parse } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

export interface Field {
  readonly name: string
  readonly type: string
  readonly value: string
}

export interface Form {
  readonly method: string
  /** As it stands in the page. */
  readonly action: string
  readonly fields: readonly Field[]
  /** Attributes of the form itself. */
  readonly attributes: Readonly<Record<string, string>>
}

export interface Page {
  readonly title: string
  /** What is read, without tags. */
  readonly text: string
  readonly forms: readonly Form[]
  readonly links: readonly string[]
  /** Every attribute in the page that begins with `data-`. */
  readonly data: Readonly<Record<string, string>>
}

/** Reads a page as a browser without script does. */
export function readPage(html: string): Page {
  const root = parse(html)
  const elements = [...elementsOf(root)]
  const title = elements.find(({ tagName }) => tagName === 'title')
  const body = elements.find(({ tagName }) => tagName === 'body')
  return {
    title: title === undefined ? '' : textOf(title).trim(),
    text: body === undefined ? '' : textOf(body).replace(/\s+/g, ' ').trim(),
    forms: elements.filter(({ tagName }) => tagName === 'form').map(readForm),
    links: elements.filter(({ tagName }) => tagName === 'a').map((link) => attribute(link, 'href')),
    data: Object.fromEntries(
      elements.flatMap(({ attrs }) =>
        attrs
          .filter(({ name }) => name.startsWith('data-'))
          .map(({ name, value }) => [name, value]),
      ),
    ),
  }
}

function readForm(form: Element): Form {
  const fields: Field[] = []
  for (const element of elementsOf(form)) {
    if (!['input', 'textarea', 'select', 'button'].includes(element.tagName)) continue
    const name = attribute(element, 'name')
    const type = (attribute(element, 'type') || element.tagName).toLowerCase()
    const isOff =
      ['checkbox', 'radio'].includes(type) && !element.attrs.some(({ name: n }) => n === 'checked')
    if (name === '' || isOff) continue
    fields.push({ name, type, value: valueOf(element, type) })
  }
  return {
    method: (attribute(form, 'method') || 'get').toUpperCase(),
    action: attribute(form, 'action'),
    fields,
    attributes: Object.fromEntries(form.attrs.map(({ name, value }) => [name, value])),
  }
}

function valueOf(element: Element, type: string): string {
  if (type === 'textarea') return textOf(element)
  if (type === 'select') {
    const options = [...elementsOf(element)].filter(({ tagName }) => tagName === 'option')
    const chosen = options.find(({ attrs }) => attrs.some(({ name }) => name === 'selected'))
    const option = chosen ?? options[0]
    return option === undefined ? '' : attribute(option, 'value')
  }
  const hasValue = element.attrs.some(({ name }) => name === 'value')
  return !hasValue && ['checkbox', 'radio'].includes(type) ? 'on' : attribute(element, 'value')
}

function* elementsOf(node: Node): Generator<Element> {
  if (!('childNodes' in node)) return
  for (const child of node.childNodes) {
    if ('tagName' in child) yield child
    yield* elementsOf(child)
  }
}

function textOf(node: Node): string {
  if ('value' in node && node.nodeName === '#text') return node.value
  if (!('childNodes' in node) || ['script', 'style'].includes(node.nodeName)) return ''
  return node.childNodes.map(textOf).join(' ')
}

function attribute({ attrs }: Element, name: string): string {
  return attrs.find((one) => one.name === name)?.value ?? ''
}
