import { CATALOGUE_VERSION, GROUPS } from '../../packages/contract/src/index.ts'
import { type Document, GENERATED } from './document.ts'

/** `docs/contract/`: one page a group, one anchor a check. */
export function contractPages(): readonly Document[] {
  const count = GROUPS.reduce((sum, { checks }) => sum + checks.length, 0)
  const index = GROUPS.map(
    ({ name, title, checks }) =>
      `| [${name}](${name.toLowerCase()}.md) | ${title} | ${checks.length} |`,
  )
  return [
    {
      file: 'docs/contract/README.md',
      content: page([
        '# The contract',
        GENERATED,
        `What [\`svc-contract\`](../../packages/contract/README.md) proves of a server: ${count} checks, catalogue ${CATALOGUE_VERSION}.`,
        ['| Group | About | Checks |', '| --- | --- | --- |', ...index].join('\n'),
      ]),
    },
    ...GROUPS.map(({ name, title, checks }) => ({
      file: `docs/contract/${name.toLowerCase()}.md`,
      content: page([
        `# ${name}: ${title.toLowerCase()}`,
        GENERATED,
        ...checks.map(
          ({ id, title: sentence, level, basis, rules, why, remedy }) =>
            `## ${id}\n\n${escaped(sentence)}\n\n- Level: ${level}, by ${basis}\n- Rules: ${rules.map(escaped).join('; ')}\n- Why: ${escaped(why)}\n- Remedy: ${escaped(remedy)}`,
        ),
      ]),
    })),
  ]
}

function page(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`
}

/** Markup of a sentence is text in a page. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('*', '\\*').replaceAll('|', '\\|')
}
