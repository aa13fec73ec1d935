import { type DefaultTreeAdapterTypes, parse } from 'parse5'

/**
 * A page as its parser sees it, one element or text a line, indented by depth; attributes by name.
 * @param replace - what stands for the value of an attribute; of a text its name is empty
 */
export function htmlLines(
  source: string,
  replace: (name: string, value: string) => string = (_, value) => value,
): string[] {
  const lines: string[] = []
  const walk = (nodes: readonly DefaultTreeAdapterTypes.ChildNode[], indent: string): void => {
    for (const node of nodes) {
      if (node.nodeName === '#text' && 'value' in node) {
        const text = node.value.replaceAll(/\s+/g, ' ').trim()
        if (text !== '') lines.push(`${indent}"${replace('', text)}"`)
      } else if ('tagName' in node) {
        const isHiddenToken = node.attrs.some(({ value }) => value === 'csrf_token')
        const attributes = node.attrs
          .map(({ name, value }) => {
            const kind = name === 'value' && isHiddenToken ? 'csrf' : name
            return ` ${name}="${replace(kind, value)}"`
          })
          .toSorted()
        lines.push(`${indent}${node.tagName}${attributes.join('')}`)
        // The content of a template is a tree of its own.
        walk('content' in node ? node.content.childNodes : node.childNodes, `${indent}  `)
      }
    }
  }
  walk(parse(source, { scriptingEnabled: false }).childNodes, '')
  return lines
}
