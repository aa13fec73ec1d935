import { LOG_TABLES } from '../../examples/host/src/log/log-events.ts'
import type { LogEvent } from '../../packages/store/src/index.ts'
import { type Document, GENERATED, table } from './document.ts'

const FILE = 'docs/logs.md'

const INTRODUCTION = `One JSON object a line, on standard error. Names of events and of fields are stable; what is not in these tables is not
written. A line about a request that was refused is information, not a fault: wait for \`error\`.

Rotation is left to journald, the container runtime or whatever reads standard error.`

const COMMON: readonly (readonly [name: string, text: string])[] = [
  ['time', 'When, in UTC with milliseconds. On every line.'],
  [
    'level',
    '`debug`, `info`, `warn` or `error`; `SVC_LOG_LEVEL` says from which on. On every line.',
  ],
  ['event', 'What happened: a name of the tables below. On every line.'],
  ['process', 'Which process wrote it: another one after each start. On every line.'],
  [
    'request_id',
    'The request, by an id of ours; an answer `internal_error` and the page of an error have it too.',
  ],
  [
    'proxy_request_id',
    'What the proxy calls the request: its `X-Request-Id`, where `SVC_TRUST_PROXY` is over 0 and it has 8 to 64 characters of `A-Z a-z 0-9 - _`.',
  ],
  ['domain', 'The instance.'],
  ['address', 'The client of the request.'],
  ['audit', '`true` in the lines of the audit stream, which say who did what; absent elsewhere.'],
  ['msg', 'The same in words, in the lines of the store.'],
]

/** `docs/logs.md` from the tables of events. @see operation.md 7.7 */
export function logPage(): Document {
  const parts = Object.entries(LOG_TABLES).flatMap(([name, events]) => [
    `## ${name.replace(/^t/, 'T')}`,
    table(
      ['Event', 'Level', 'Audit', 'When', 'Fields', 'Since'],
      Object.entries(events).map(([event, row]) => [
        `\`${event}\``,
        row.level,
        row.audit === true ? 'yes' : '',
        row.when,
        fieldsOf(row),
        row.since,
      ]),
    ).trimEnd(),
  ])
  const content = [
    '# Logs',
    GENERATED,
    INTRODUCTION,
    '## What lines have in common',
    table(
      ['Field', 'What it says'],
      COMMON.map(([name, text]) => [`\`${name}\``, text]),
    ).trimEnd(),
    'A field with a question mark is not on every line of its event.',
    ...parts,
  ]
  return { file: FILE, content: `${content.join('\n\n')}\n` }
}

/** Events without words, and names that two tables have. */
export function logFaults(): string[] {
  const names = Object.values(LOG_TABLES).flatMap((events) => Object.keys(events))
  return [
    ...names
      .filter((name, at) => names.indexOf(name) !== at)
      .map((name) => `${FILE}: ${name} is in two tables`),
    ...Object.values(LOG_TABLES).flatMap((events) =>
      Object.entries(events)
        .filter(([, { when }]) => when.trim() === '')
        .map(([name]) => `${FILE}: ${name} does not say when it is written`),
    ),
  ]
}

function fieldsOf({ fields = {} }: LogEvent): string {
  return Object.entries(fields)
    .map(([name, type]) => `\`${name}${type.endsWith('?') ? '?' : ''}\``)
    .join(', ')
}
