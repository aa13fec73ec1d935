import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, GENERATED, ROOT, table } from './document.ts'
import { ANNOUNCEMENTS, EVENTS, INTERNAL, LISTENERS, type Listed, SENT } from './event-lists.ts'
import { type DocumentedMember, type NamedType, readInterfaces, withoutTags } from './interfaces.ts'
import { EVENTS as EVENT_VERSIONS, type Versions, versionsFile, versionsOf } from './since.ts'

const FILE = 'docs/reference/events.md'

const INTRODUCTION = `Everything that the packages notify a host of, what a host announces to them, and what goes out over the websocket. Names and types
are those of the interfaces; the check of the documents fails for an event, hook or listener that is not on this page.
A handler that throws is logged and stops nothing, unless its text says that it may refuse.`

/** `docs/reference/events.md`: events, hooks and announcements of all packages, from their interfaces. */
export function eventPages(): Document[] {
  const interfaces = readInterfaces()
  const versions = allVersions()
  const since = (owner: string, name: string): string => versions[owner]?.[name] ?? ''
  const typeOf = ({ folder, type }: Listed): NamedType | undefined =>
    interfaces.typeOf(folder, type)
  const rows = (listed: Listed, called: (name: string, member: DocumentedMember) => string) =>
    membersOf(typeOf(listed), listed).map(([name, member]) => [
      `\`${called(name, member)}\``,
      withoutTags(member.comment),
      since(listed.type, name),
    ])
  const parts = [
    '## Events and hooks',
    ...EVENTS.flatMap((listed) => [
      `### \`${listed.type}\` of \`@svc/${listed.folder}\``,
      `\`${listed.use}\``,
      listed.how,
      table(
        ['Name', 'Carries', 'When', 'May refuse', 'Since'],
        membersOf(typeOf(listed), listed).map(([name, member]) => [
          `\`${name}\``,
          `\`${carried(member.type)}\``,
          withoutTags(member.comment),
          listed.refusing?.includes(name) === true ? 'yes' : '',
          since(listed.type, name),
        ]),
      ).trimEnd(),
      shapes(typeOf(listed), (name) => interfaces.typeOf(listed.folder, name)),
    ]),
    '## Methods that take a listener',
    table(
      ['Method', 'What the listener is called for', 'Since'],
      LISTENERS.flatMap((listed) => rows(listed, (name) => calledOn(listed, name))),
    ).trimEnd(),
    '## What the host announces',
    'The packages cannot see these things happen. Call the method once it is written.',
    table(
      ['Method', 'When', 'Since'],
      ANNOUNCEMENTS.flatMap((listed) =>
        rows(listed, (name, { type }) => `${listed.use}.${name}(${parameterNames(type)})`),
      ),
    ).trimEnd(),
    '## What subscribers of the websocket get',
    `Types are below the namespace (\`io.svc\` by default). A host publishes its own beside these.
Only the server may send those that \`realtime.isServerType\` names.`,
    table(
      ['Type', 'Verbs', 'Sent by', 'What it says', 'Since'],
      SENT.map(({ type, verbs, by, what }) => [
        `\`${type}\``,
        verbs,
        `\`${by}\``,
        what,
        since('realtime', type),
      ]),
    ).trimEnd(),
  ]
  const content = ['# Events and hooks', GENERATED, INTRODUCTION, ...parts].filter(Boolean)
  return [
    { file: FILE, content: `${content.join('\n\n')}\n` },
    versionsFile(EVENT_VERSIONS, versions),
  ]
}

function allVersions(): Versions {
  const interfaces = readInterfaces()
  const named = [...EVENTS, ...LISTENERS, ...ANNOUNCEMENTS]
  const types = [...new Set(named.map(({ type }) => type))].map((type) => {
    const same = named.filter((one) => one.type === type)
    const [{ folder } = { folder: '' }] = same
    const found = interfaces.typeOf(folder, type)
    const names = same.flatMap((one) => membersOf(found, one).map(([name]) => name))
    return { name: type, module: `@svc/${folder}`, between: '.', names }
  })
  const sent = SENT.map(({ type, by }) => {
    const module = `@svc/${by.replace('packages/', '').replace('examples/', 'example-')}`
    return [
      type,
      versionsOf(EVENT_VERSIONS, [{ name: 'realtime', module, between: ' ', names: [type] }]),
    ] as const
  })
  const versions = versionsOf(EVENT_VERSIONS, types)
  return {
    ...versions,
    realtime: Object.fromEntries(sent.map(([type, of]) => [type, of['realtime']?.[type] ?? ''])),
  }
}

/** Every event, hook, listener and announcement, with what it carries. */
export function eventSurface(): readonly (readonly [
  folder: string,
  name: string,
  carries: string,
])[] {
  const interfaces = readInterfaces()
  const named = [...EVENTS, ...LISTENERS, ...ANNOUNCEMENTS].flatMap((listed) => {
    const type = interfaces.typeOf(listed.folder, listed.type)
    return membersOf(type, listed).map(([name, member]): [string, string, string] => {
      const inside = { name, folder: listed.folder, type: '', members: new Map([[name, member]]) }
      const shape = shapes(inside, (mentioned) => interfaces.typeOf(listed.folder, mentioned))
      return [listed.folder, `${listed.type}.${name}`, `${carried(member.type)} ${shape}`.trim()]
    })
  })
  return [
    ...named,
    ...SENT.map(({ type, verbs, by }): [string, string, string] => [
      path.basename(by),
      `realtime ${type}`,
      verbs,
    ]),
  ]
}

/** What the page lacks: interfaces, members and words that the packages have or should have. */
export function eventFaults(): string[] {
  const interfaces = readInterfaces()
  const listed = [...EVENTS, ...LISTENERS, ...ANNOUNCEMENTS]
  const isListed = (folder: string, type: string, member: string): boolean =>
    INTERNAL.has(`${folder} ${type}`) ||
    listed.some(
      (one) =>
        one.folder === folder && one.type === type && (one.members?.includes(member) ?? true),
    )
  const folders = globSync('packages/*/src/index.ts', { cwd: ROOT }).map(
    (file) => file.split(path.sep)[1] ?? '',
  )
  return [
    ...listed.flatMap((one) => listedFaults(one, interfaces.typeOf(one.folder, one.type))),
    ...folders.flatMap((folder) =>
      interfaces.exportedBy(folder).flatMap(({ name, members }) => {
        const heard = /(?:Events|Hooks)$/.test(name)
          ? [...members.keys()]
          : [...members.keys()].filter((member) => /^on[A-Z]/.test(member))
        return heard
          .filter((member) => !isListed(folder, name, member))
          .map((member) => `${FILE} lacks ${name}.${member} of @svc/${folder}`)
      }),
    ),
    ...sentFaults(),
  ]
}

function listedFaults({ folder, type, members }: Listed, found: NamedType | undefined): string[] {
  if (found === undefined) return [`docs/build/event-lists.ts: @svc/${folder} has no ${type}`]
  return (members ?? [...found.members.keys()]).flatMap((name) => {
    const member = found.members.get(name)
    if (member === undefined) return [`docs/build/event-lists.ts: ${type} has no ${name}`]
    return withoutTags(member.comment) === ''
      ? [`${type}.${name} of @svc/${folder} is not documented`]
      : []
  })
}

/** Types that nobody publishes any more, and publishers that the table does not name. */
function sentFaults(): string[] {
  const publishers = globSync(['packages/*/src/**/*.ts', 'examples/host/src/**/*.ts'], {
    cwd: ROOT,
  })
    .map((file) => ({ file, source: readFileSync(path.join(ROOT, file), 'utf8') }))
    .filter(({ source }) => /(?:events\??|realtime)\s*\.publish\(/.test(source))
    .map(({ file }) => file.split(path.sep).slice(0, 2).join('/'))
  const sources = (folder: string): string[] =>
    globSync(`${folder}/src/**/*.ts`, { cwd: ROOT }).map((file) =>
      readFileSync(path.join(ROOT, file), 'utf8'),
    )
  return [
    ...SENT.filter(
      ({ type, by }) => !sources(by).some((source) => source.includes(`amespace}.${type}\``)),
    ).map(({ type, by }) => `docs/build/event-lists.ts: nothing in ${by} names the type ${type}`),
    ...[...new Set(publishers)]
      .filter((folder) => folder !== 'packages/realtime')
      .filter((folder) => !SENT.some(({ by }) => by === folder))
      .map((folder) => `${FILE} does not say what ${folder} publishes`),
  ]
}

function membersOf(
  type: NamedType | undefined,
  { members }: Listed,
): readonly (readonly [string, DocumentedMember])[] {
  return [...(type?.members ?? [])].filter(([name]) => members?.includes(name) ?? true)
}

function calledOn({ type, use }: Listed, name: string): string {
  return type === 'RevocationListener' ? `listener.${name}` : `${use}.${name}`
}

/** What a handler is given: the type of an event, or of a hook's parameter. */
function carried(type: string): string {
  const [, parameter = type] = /^\w+: ([\s\S]*?),?\s*\): Promise/.exec(type.trim()) ?? []
  return parameter
    .replaceAll(/\breadonly (?=\w+\[\])/g, '')
    .replaceAll(/\s*\breadonly /g, '; ')
    .replaceAll(/\{\s*;/g, '{')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function parameterNames(type: string): string {
  const [parameters = ''] = type.split(/\): (?:Promise|void|boolean)/)
  const flat = parameters.replaceAll(/\{[^{}]*\}/g, '')
  return [...flat.matchAll(/(\w+)\??:/g)].map(([, name]) => name).join(', ')
}

/** The types that the members of another one mention. */
function shapes(
  type: NamedType | undefined,
  typeOf: (name: string) => NamedType | undefined,
): string {
  const text = [...(type?.members.values() ?? [])].map((member) => member.type).join(' ')
  const names = [...new Set([...text.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name))]
  return names
    .flatMap((name) => typeOf(name) ?? [])
    .map(({ name, type: stands, members }) =>
      members.size > 0
        ? `- \`${name}\`: ${[...members.keys()].map((member) => `\`${member}\``).join(', ')}`
        : `- \`${name}\`: \`${stands.replaceAll(/\s+/g, ' ').trim()}\``,
    )
    .join('\n')
}
