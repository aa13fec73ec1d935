/** The Markdown of one page, read as text: the site changes where links lead, and nothing else. */

const FENCE = /^ {0,6}(`{3,}|~{3,})/
const LINK = /\]\((?!https?:|mailto:)([^)\s#]*)(#[^)\s]+)?\)/g
const DESCRIPTION_LENGTH = 240

/** Lines outside of blocks of code, changed; those inside stay as they are. */
export function outsideCode(markdown: string, change: (line: string) => string): string {
  let fence: string | undefined
  return markdown
    .split('\n')
    .map((line) => {
      const mark = FENCE.exec(line)?.[1]
      if (fence !== undefined) {
        if (mark !== undefined && line.trim() === mark && mark.startsWith(fence)) fence = undefined
        return line
      }
      fence = mark
      return mark === undefined ? change(line) : line
    })
    .join('\n')
}

/**
 * Links that lead somewhere else.
 * @param lead - where a link leads now, its target being empty within the page; `undefined` where there is nothing to lead to, so that only its text stays
 */
export function withLinks(
  markdown: string,
  lead: (target: string, anchor: string) => string | undefined,
): string {
  return outsideCode(markdown, (line) => {
    const dead: string[] = []
    const changed = line.replaceAll(LINK, (all: string, target: string, anchor = '') => {
      const href = lead(target, anchor)
      if (href === undefined) dead.push(all)
      return href === undefined ? all : `](${href})`
    })
    return dead.reduce((text, link) => withoutLink(text, link), changed)
  })
}

/** `[text](nowhere)` is `text`. */
function withoutLink(line: string, link: string): string {
  const at = line.indexOf(link)
  const start = line.lastIndexOf('[', at)
  return line.slice(0, start) + line.slice(start + 1, at) + line.slice(at + link.length)
}

/** The first heading, as plain words. */
export function titleOf(markdown: string): string | undefined {
  const [, title] = /^# (.+)$/m.exec(markdown) ?? []
  return title === undefined ? undefined : plain(title)
}

/** What stands below the first heading. */
export function bodyOf(markdown: string): string {
  return markdown.replace(/^# .+\n+/m, '')
}

/** The first sentence or two of the first paragraph, as plain words. */
export function descriptionOf(markdown: string): string | undefined {
  const first = bodyOf(markdown)
    .replaceAll(/<!-- (node|install) -->[\s\S]*?<!-- \/\1 -->/g, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => /^(?:- )?["'`\w[(*]/.test(block) && !block.startsWith('Theme:'))
  if (first === undefined) return undefined
  const [item = ''] = first.replace(/^- /, '').split(/\n- /)
  return sentences(plain(item))
}

/** Whole sentences, up to a length. */
function sentences(text: string): string {
  const parts = text.split(/(?<=[.!?:]) (?=[A-Z`"0-9])/)
  let said = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    const isEnough = said.length + part.length + 1 > DESCRIPTION_LENGTH || said.length > 80
    if (isEnough && said.length > 20) break
    said = `${said} ${part}`
  }
  if (said.length <= DESCRIPTION_LENGTH) return said.replace(/:$/, '.')
  return `${said.slice(0, said.lastIndexOf(' ', DESCRIPTION_LENGTH - 1))} …`
}

/** Without markup and line breaks. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll('&lt;', '<')
    .trim()
}
