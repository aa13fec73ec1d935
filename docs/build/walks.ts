import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './document.ts'

const DOCUMENT = 'docs/architecture.md'
/** Such as `auth-ui/login/login.ts#logIn`: a function or a method, in a file below `src` of a package or of the host. */
const STEP = /`([\w-]+)\/([\w./-]+\.ts)#(\w+)`/g

/** A walk through the code, as a reader follows it from definition to definition. */
interface Walk {
  readonly title: string
  readonly steps: readonly Step[]
}

interface Step {
  /** From the root of the repository. */
  readonly file: string
  /** A function, a method or a constant of that file. */
  readonly name: string
}

/** The sections that name steps. */
function readWalks(text: string): readonly Walk[] {
  const sections = text.split(/^#{2,3} /m).slice(1)
  return sections
    .map((section) => ({
      title: section.split('\n', 1)[0] ?? '',
      steps: [...section.matchAll(STEP)].map(([, owner = '', file = '', name = '']) => ({
        file: path.join(owner === 'host' ? 'examples/host' : `packages/${owner}`, 'src', file),
        name,
      })),
    }))
    .filter(({ steps }) => steps.length > 0)
}

/**
 * Steps that go-to-definition does not reach: the file does not declare the name, or the code of no earlier step uses
 * it from there. And walks whose title says another number of files than they open.
 * @param text - of docs/architecture.md
 */
export function walkFaults(
  text: string = readFileSync(path.join(ROOT, DOCUMENT), 'utf8'),
): string[] {
  return readWalks(text).flatMap(({ title, steps }) => [
    ...steps.flatMap((step, place) => {
      const where = `${DOCUMENT}: ${title}: ${step.file}#${step.name}`
      if (declarationOf(step) === undefined) return [`${where} is not declared there`]
      const isReached = place === 0 || steps.slice(0, place).some((from) => leadsTo(from, step))
      return isReached ? [] : [`${where} is not used by a step before it`]
    }),
    ...countFaults(title, new Set(steps.map(({ file }) => file)).size),
  ])
}

function countFaults(title: string, files: number): string[] {
  return title.endsWith(`(${files} files)`)
    ? []
    : [`${DOCUMENT}: ${title}: a title ends with its number of files, here (${files} files)`]
}

/** Whether the code of a step names the other, which its file declares, imports, or calls as a method. */
function leadsTo(from: Step, to: Step): boolean {
  if (from === to) return false
  const code = codeBehind(from)
  if (new RegExp(`\\.${to.name}\\b`).test(code)) return true
  if (!new RegExp(`\\b${to.name}\\b`).test(code)) return false
  return from.file === to.file || importedFrom(from.file, to.name, to.file)
}

function importedFrom(file: string, name: string, target: string): boolean {
  return [...readSource(file).matchAll(/import (?:type )?\{([^}]*)\} from '([^']+)'/g)].some(
    ([, names = '', specifier = '']) => {
      if (!new RegExp(`\\b${name}\\b`).test(names)) return false
      if (specifier.startsWith('.')) {
        return path.join(path.dirname(file), specifier) === target
      }
      return target.startsWith(`packages/${specifier.replace('@svc/', '')}/`)
    },
  )
}

/** The text of a step, and of the functions of its file that it uses: to read on there is no step of its own. */
function codeBehind(step: Step): string {
  const names = [
    ...readSource(step.file).matchAll(/^ *(?:export )?(?:async )?function (\w+)/gm),
  ].map(([, name = '']) => name)
  const seen = new Set([step.name])
  let code = declarationOf(step) ?? ''
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? ''
    if (seen.has(name) || !new RegExp(`\\b${name}\\b`).test(code)) continue
    seen.add(name)
    code += `\n${declarationOf({ file: step.file, name }) ?? ''}`
    // What it uses may stand above.
    at = -1
  }
  return code
}

/** The text of a function, a method or a constant, down to the line that closes it. */
function declarationOf({ file, name }: Step): string | undefined {
  if (!existsSync(path.join(ROOT, file))) return undefined
  const lines = readSource(file).split('\n')
  const heads = [
    new RegExp(
      `^ *(?:export )?(?:(?:async )?function\\*? ${name}\\b|const ${name}\\b|class ${name}\\b)`,
    ),
    // A method, before a call or a signature of the same name.
    new RegExp(`^ *(?:static |async |get )*#?${name}(?:<.*)?\\(.*\\{$`),
    new RegExp(`^ *(?:static |async |get )*#?${name}(?:\\(|<|: )`),
  ]
  const first = heads.reduce(
    (found, head) => (found === -1 ? lines.findIndex((line) => head.test(line)) : found),
    -1,
  )
  if (first === -1) return undefined
  const indent = /^ */.exec(lines[first] ?? '')?.[0].length ?? 0
  const isOver = (line: string, at: number): boolean =>
    at > first && line.trim() !== '' && (/^ */.exec(line)?.[0].length ?? 0) <= indent
  let end = lines.findIndex(isOver)
  // The parameters stand in lines of their own: the body follows the line that closes them.
  while (end !== -1 && /[{(]$/.test(lines[end] ?? '')) {
    const next = lines.slice(end + 1).findIndex((line, at) => isOver(line, first + 1 + at))
    end = next === -1 ? -1 : end + 1 + next
  }
  return lines.slice(first, end === -1 ? undefined : end + 1).join('\n')
}

const sources = new Map<string, string>()

function readSource(file: string): string {
  const text = sources.get(file) ?? readFileSync(path.join(ROOT, file), 'utf8')
  sources.set(file, text)
  return text
}
