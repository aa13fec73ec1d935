import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, ROOT } from './document.ts'
import { installBlock, nodeSentence } from './install-block.ts'

/** The program of the README and of docs/embedding.md. */
const SERVER = 'examples/embedded/server.mjs'
/** The programs of the guide for clients. */
const CLIENTS = 'examples/client/guide'
/** What stands between `<!-- name -->` and `<!-- /name -->` of a page, for each name. */
const MARKED = /<!-- (node|install|server|client-(?:ts|py|sh)) -->\n(?:[\s\S]*?\n)??<!-- \/\1 -->/g

/** Pages that are written by hand but for single parts. */
export function pagesWithFragments(): Document[] {
  const files = globSync(
    [
      'README.md',
      'docs/clients/README.md',
      'docs/embedding.md',
      'examples/embedded/README.md',
      'packages/*/README.md',
    ],
    { cwd: ROOT },
  )
  return files.toSorted().flatMap((file) => {
    const page = readFileSync(path.join(ROOT, file), 'utf8')
    const content = page.replaceAll(MARKED, (_part, name: string) =>
      [`<!-- ${name} -->`, fragment(name, file), `<!-- /${name} -->`].join('\n'),
    )
    return content === page && !MARKED.test(page) ? [] : [{ file, content }]
  })
}

function fragment(name: string, file: string): string {
  switch (name) {
    case 'node':
      return nodeSentence()
    case 'server':
      return `\`\`\`ts\n${readFileSync(path.join(ROOT, SERVER), 'utf8')}\`\`\``
    case 'client-ts':
    case 'client-py':
    case 'client-sh': {
      const language = name.slice('client-'.length)
      const program = readFileSync(path.join(ROOT, `${CLIENTS}/client.${language}`), 'utf8')
      return `\`\`\`${language}\n${program}\`\`\``
    }
    default:
      return installBlock(packageOf(file))
  }
}

/** The folder of the package that a README is of; undefined for pages about all of them. */
function packageOf(file: string): string | undefined {
  const folder = path.dirname(file)
  return folder.startsWith('packages/') && existsSync(path.join(ROOT, folder)) ? folder : undefined
}
