import type { Figure } from '../figure.ts'
import type { Made } from '../scale-server.ts'
import type { EngineFigures } from './measure-engine.ts'

const KIB = 1024
/** On Redis; on SQLite, {@link SQLITE_SHARE} times that. @see operation.md 6.9 */
const GOALS: Readonly<Partial<Record<Made, number>>> = {
  instance: 6 * KIB,
  client: 2 * KIB,
  session: KIB,
  notification: 2 * KIB,
}
const SQLITE_SHARE = 1.5
const LINE_ERROR = 0.05
const WORDS: Readonly<Record<Made, string>> = {
  instance: 'onboarded instance at rest',
  client: 'client with its grant',
  session: 'session',
  login: 'entry of the login history',
  notification: 'notification kept',
}
/** Of the mix that is extrapolated. */
export const OWNED: Readonly<Record<Made, number>> = {
  instance: 1,
  client: 2,
  session: 2,
  login: 20,
  notification: 50,
}
const MILLION = 1_000_000

/** Bytes of an instance with everything of the mix. */
export function bytesOfMix({ bytes }: EngineFigures): number {
  return Object.entries(OWNED).reduce((sum, [made, count]) => sum + bytes[made as Made] * count, 0)
}

/** The figures of an engine, against the goals. */
export function engineFigures(measured: EngineFigures): readonly Figure[] {
  const { name, line, check, bytes } = measured
  const share = name === 'sqlite' ? SQLITE_SHARE : 1
  const each = Object.entries(WORDS).map(([made, words]): Figure => {
    const size = bytes[made as Made]
    const goal = GOALS[made as Made]
    const limit = goal === undefined ? undefined : goal * share
    return {
      name: `${words}, ${name}`,
      value: kib(size),
      ...(limit !== undefined && { target: `≤ ${kib(limit)}` }),
      isMet: limit === undefined || size <= limit,
    }
  })
  return [
    ...each,
    {
      name: `furthest from the straight line, ${name}`,
      value: percent(line.error),
      reference: `${measured.instances} instances`,
      isMet: true,
    },
    ...(check === undefined ? [] : [checkFigure(name, check)]),
    {
      name: `${MILLION} instances of the mix, ${name}`,
      value: `${((line.start + bytesOfMix(measured) * MILLION) / KIB ** 3).toFixed(0)} GiB`,
      reference: `${kib(bytesOfMix(measured))} each`,
      isMet: true,
    },
  ]
}

function checkFigure(name: string, check: NonNullable<EngineFigures['check']>): Figure {
  const error = Math.abs(check.expected - check.bytes) / check.bytes
  return {
    name: `the line at ${check.instances} instances, ${name}`,
    value: `${percent(error)} away`,
    target: `≤ ${percent(LINE_ERROR)}`,
    isMet: error <= LINE_ERROR,
  }
}

export function kib(bytes: number): string {
  return `${(bytes / KIB).toFixed(2)} KiB`
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`
}
