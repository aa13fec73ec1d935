import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, GENERATED, isMade, ROOT } from './document.ts'

/** A file of `docs/decisions/`. */
export interface Decision {
  readonly file: string
  /** Its first line, such as `# 0096 Hints count as guesses`. */
  readonly heading: string
  /** Such as `auth-ui: passphrase`; undefined without a line `Theme: …` below the title. */
  readonly theme: string | undefined
}

const FOLDER = 'docs/decisions'
const TITLE = /^# (\d{4}) (.*)$/
const INTRODUCTION = `What the specification leaves open and how it is done here, with the reason. A title says what was decided; the line
\`Theme:\` below it names one of the groups of this page. Numbers are never used again: those that are missing were details
and stand as comments beside the code. Decisions named D1 to D88 are in [the specification](../spec/decisions.md).`
const MENTION = /OPEN\((\d{4})\)|docs\/decisions\/(\d{4})/g
/** The groups of the index, in its order. */
const THEMES: Readonly<Record<string, readonly string[]>> = {
  store: ['engines', 'wake-ups and bus'],
  platform: [
    'instances',
    'records',
    'routes',
    'errors and options',
    'connections',
    'load',
    'outbound calls',
    'keys',
  ],
  'oauth-core': [
    'clients',
    'documents of clients',
    'scopes',
    'authorize',
    'tokens',
    'certification',
  ],
  'auth-ui': [
    'login',
    'limits',
    'second step',
    'factors',
    'passphrase',
    'profile',
    'settings',
    'session codes',
    'consent',
    'pages',
  ],
  connectors: ['account types', 'OAuth flows', 'accounts', 'refresh'],
  activity: ['record'],
  realtime: ['connections', 'subscriptions'],
  mcp: ['protocol', 'tools'],
  notify: ['posts', 'delivery', 'push and SMS', 'system mails', 'app mails', "owners' choices"],
  host: ['operation', 'apps', 'accounts', 'documents', 'development'],
  contract: ['checks'],
  repository: ['structure', 'tests', 'releases', 'scripts'],
}

/** `docs/decisions/README.md`: every decision by its title, grouped by package and theme. */
export function decisionIndex(): Document {
  const decisions = readDecisions()
  const parts = Object.entries(THEMES).flatMap(([name, themes]) => [
    `## ${name}`,
    ...themes.flatMap((theme) => [
      `### ${sentenceCase(theme)}`,
      decisions
        .filter((decision) => decision.theme === `${name}: ${theme}`)
        .map(indexLine)
        .join('\n'),
    ]),
  ])
  const content = ['# Decisions', GENERATED, INTRODUCTION, ...parts].join('\n\n')
  return { file: `${FOLDER}/README.md`, content: `${content}\n` }
}

/** What is wrong with the decisions themselves, and mentions of decisions that do not exist. */
export function decisionFaults(): string[] {
  const decisions = readDecisions()
  const numbers = decisions.map(({ file }) => file.slice(0, 4))
  const sources = globSync(
    ['{packages,examples}/*/{src,test,bench,assets,views,apps}/**/*.{ts,js,njk,css}', '**/*.md'],
    { cwd: ROOT, exclude: isMade },
  )
  const dangling = sources.flatMap((file) =>
    [...read(file).matchAll(MENTION)]
      .map(([, open, named]) => open ?? named ?? '')
      .filter((number) => !numbers.includes(number))
      .map((number) => `${file}: decision ${number} does not exist`),
  )
  return [
    ...numbers
      .filter((number, at) => numbers.indexOf(number) !== at)
      .map((number) => `${FOLDER}: ${number} is there twice`),
    ...formFaults(decisions),
    ...dangling,
  ]
}

/** Decisions without their number, a title or a known theme, and themes that no decision has. */
export function formFaults(decisions: readonly Decision[]): string[] {
  const themes = Object.entries(THEMES).flatMap(([name, of]) =>
    of.map((theme) => `${name}: ${theme}`),
  )
  return [
    ...decisions
      .filter(({ file, heading }) => TITLE.exec(heading)?.[1] !== file.slice(0, 4))
      .map(({ file }) => `${FOLDER}/${file} does not begin with "# ${file.slice(0, 4)} <title>"`),
    ...decisions
      .filter(({ theme }) => theme === undefined || !themes.includes(theme))
      .map(
        ({ file, theme }) =>
          `${FOLDER}/${file} has ${theme === undefined ? 'no theme' : `the unknown theme "${theme}"`}: ` +
          'write "Theme: <package>: <theme>" below its title, with a theme of docs/build/decisions.ts',
      ),
    ...themes
      .filter((theme) => !decisions.some((decision) => decision.theme === theme))
      .map((theme) => `docs/build/decisions.ts: no decision has the theme "${theme}"`),
  ]
}

function readDecisions(): Decision[] {
  return globSync(`${FOLDER}/[0-9]*.md`, { cwd: ROOT })
    .map((file) => path.basename(file))
    .toSorted()
    .map((file) => {
      const [heading = '', , third = ''] = read(`${FOLDER}/${file}`).split('\n', 3)
      return { file, heading, theme: /^Theme: (.+)$/.exec(third)?.[1] }
    })
}

function indexLine({ file, heading }: Decision): string {
  const [, number = '', title = ''] = TITLE.exec(heading) ?? []
  return `- [${number}](${file}) ${title}`
}

function sentenceCase(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8')
}
