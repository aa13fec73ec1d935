import type { Exchange, Recording } from '../model/exchange.ts'

/** Something that is broken in more than one answer. */
interface BrokenRecording {
  readonly name: string
  readonly reason: RegExp
  readonly recording: Recording
}

/** Breaks what is seen in several answers: secrets that are short or shared, codes that are used twice, notes. */
export function recordingFamilies(recording: Recording): readonly BrokenRecording[] {
  const { exchanges, secrets, notes } = recording
  const first = exchanges[0]
  const added = (more: Partial<Exchange>): Recording => ({
    ...recording,
    exchanges:
      first === undefined ? exchanges : [...exchanges, { ...first, label: 'broken', ...more }],
  })
  const answerWith = (status: number, headers: readonly [string, string][] = [], body = '') => ({
    answer: { status, headers, body },
  })
  return [
    {
      name: 'short secrets',
      reason: /characters|no JWT|claims/,
      recording: { ...recording, secrets: mapped(secrets, (one) => ({ ...one, length: 8 })) },
    },
    {
      name: 'secrets of other characters',
      reason: /characters/,
      recording: { ...recording, secrets: mapped(secrets, (one) => ({ ...one, isPlain: false })) },
    },
    {
      name: 'tokens without claims',
      reason: /JWT|aud|sub|iss|iat|exp|scope/,
      recording: {
        ...recording,
        secrets: mapped(secrets, (one) => ({ ...one, jwt: { header: {}, claims: {} } })),
      },
    },
    {
      name: 'tokens that live too long',
      reason: /exp/,
      recording: {
        ...recording,
        secrets: mapped(secrets, (one) => ({
          ...one,
          jwt: { header: {}, claims: { ...one.jwt?.claims, exp: 1 } },
        })),
      },
    },
    {
      name: 'answers given to a second caller',
      reason: /same|got tokens/,
      recording: {
        ...recording,
        exchanges: exchanges.map((one) => ({ ...one, ...sameAnswer(one, exchanges) })),
      },
    },
    {
      name: 'every code the same',
      reason: /same/,
      recording: {
        ...recording,
        notes: mapped(notes, (value) => value.replace(/code=[^&#]*/g, 'code=x')),
      },
    },
    {
      name: 'every note lost on the way',
      reason: /state|iss|leads|code|closed|error/,
      recording: {
        ...recording,
        notes: mapped(notes, (value) =>
          value.startsWith('https://client')
            ? 'https://client.contract.example/callback?code=x'
            : value,
        ),
      },
    },
    {
      name: 'redirects that lead elsewhere',
      reason: /leads|code/,
      recording: {
        ...recording,
        notes: mapped(notes, (value) =>
          value.startsWith('https://client') ? 'https://evil.contract.example/' : value,
        ),
      },
    },
    {
      name: 'a revocation that takes its time',
      reason: /took/,
      recording: {
        ...recording,
        notes: mapped(notes, (value) => (/^\d+$/.test(value) ? '5000' : value)),
      },
    },
    {
      name: 'every secret shown in every answer',
      reason: /credential/,
      recording: {
        ...recording,
        exchanges: exchanges.map(({ answer, ...one }) => ({
          ...one,
          ...(answer !== undefined && {
            answer: { ...answer, body: `${answer.body} ${Object.keys(secrets).join(' ')}` },
          }),
        })),
      },
    },
    {
      name: 'a failure of the server',
      reason: /500/,
      recording: added(answerWith(500)),
    },
    {
      name: 'a posted passphrase that is redirected',
      reason: /307/,
      recording: added({
        request: { method: 'POST', url: recording.target, headers: [] },
        ...answerWith(307),
      }),
    },
  ]
}

/** The answer of the first exchange of the same kind. */
function sameAnswer(
  { label, request }: Exchange,
  exchanges: readonly Exchange[],
): Partial<Exchange> {
  const group = label.split('.', 1)[0]
  const alike = exchanges.find(
    (one) =>
      one.label.split('.', 1)[0] === group &&
      one.request.method === request.method &&
      one.request.url.split('?', 1)[0] === request.url.split('?', 1)[0],
  )
  return alike?.answer === undefined ? {} : { answer: alike.answer }
}

function mapped<T>(
  values: Readonly<Record<string, T>>,
  change: (value: T) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}
