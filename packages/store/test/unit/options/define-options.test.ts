import { expect } from 'chai'
import {
  defineOptions,
  either,
  flag,
  func,
  group,
  hooks,
  instance,
  integer,
  list,
  milliseconds,
  object,
  oneOf,
  OptionsError,
  port,
  record,
  text,
} from '../../../src/options/index.ts'

interface Log {
  info(line: string): void
  flush?(): void
}

const log: Log = { info: () => {} }
const LIMIT = object({ limit: integer(0, 100), windowMs: milliseconds(1000, 60_000) })

const DEFINITION = defineOptions({
  log: port<Log>(['info'], ['flush']),
  name: text('a name', { pattern: '^[a-z]+$' }),
  mode: oneOf(['one', 'many']).or('one'),
  isHttps: func<(domain: string) => boolean>().optional(),
  strict: either(flag(), func<() => boolean>()).or(false),
  store: port<object>([]).orFrom((options: { log: Log }) => options.log, 'that of `log`'),
  key: instance<Uint8Array>('bytes', (value) => value instanceof Uint8Array).optional(),
  hosts: list(text('a host', { pattern: '^[a-z.]+$' }), 2)
    .as((hosts) => new Set(hosts))
    .or(new Set()),
  hooks: hooks<{ onLogin?(): void; onLogout?(): void }>(['onLogin', 'onLogout']).or({}),
  lifetimes: group({
    lock: milliseconds(1, 1000).or(30),
    wait: milliseconds(1, 1000, { step: 5 }).or(35),
  }).that(({ lock, wait }) => (wait > lock ? undefined : { wait: 'must be longer than lock' })),
  limits: group({ token: LIMIT.or({ limit: 5, windowMs: 1000 }) }),
  contexts: record(object({ url: text('an address') })).or({}),
})

const GIVEN = { log, name: 'svc' }

function faultsOf(options: unknown): string[] {
  try {
    DEFINITION.settle(options)
  } catch (error) {
    expect(error).to.be.instanceOf(TypeError)
    return (error as Error).message.split('\n')
  }
  return []
}

describe('defineOptions', () => {
  it('fills in every default, and leaves out what has none', () => {
    expect(DEFINITION.settle(GIVEN)).to.deep.equal({
      log,
      name: 'svc',
      mode: 'one',
      strict: false,
      store: log,
      hosts: new Set(),
      hooks: {},
      lifetimes: { lock: 30, wait: 35 },
      limits: { token: { limit: 5, windowMs: 1000 } },
      contexts: {},
    })
  })

  it('takes what is given, and treats undefined as not given', () => {
    const isHttps = (): boolean => true
    const settled = DEFINITION.settle({
      ...GIVEN,
      isHttps,
      mode: undefined,
      strict: isHttps,
      hosts: ['a.b'],
      lifetimes: { wait: 40 },
      limits: {},
      contexts: { one: { url: 'x' } },
    })
    expect(settled).to.deep.include({
      isHttps,
      mode: 'one',
      strict: isHttps,
      hosts: new Set(['a.b']),
      lifetimes: { lock: 30, wait: 40 },
      contexts: { one: { url: 'x' } },
    })
  })

  const fit: readonly [options: unknown, faults: readonly string[]][] = [
    [
      undefined,
      ['.log: is missing; must be an object with info', '.name: is missing; must be a name'],
    ],
    [null, [': must be an object']],
    [[], [': must be an object']],
  ]
  for (const [options, faults] of fit) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      expect(faultsOf(options)).to.deep.equal(faults.map((fault) => `options${fault}`))
    })
  }

  const wait = 'lifetimes.wait: must be'
  const steps = 'a whole number of milliseconds from 1 to 1000'
  const rows: readonly [given: object, fault: string][] = [
    [{ mod: 'one' }, 'mod: unknown, did you mean mode?'],
    [{ ishttps: 1 }, 'ishttps: unknown, did you mean isHttps?'],
    [{ telephone: 1 }, 'telephone: unknown'],
    [{ toString: 1 }, 'toString: unknown'],
    [{ lifetimes: { lok: 1 } }, 'lifetimes.lok: unknown, did you mean lock?'],
    [
      { limits: { token: { limit: 1, windowMs: 1000, window: 1 } } },
      'limits.token.window: unknown, did you mean windowMs?',
    ],
    [
      { contexts: { one: { url: 'x', urls: 'y' } } },
      'contexts.one.urls: unknown, did you mean url?',
    ],
    [{ lifetimes: { lock: 0 } }, `lifetimes.lock: must be ${steps}`],
    [{ lifetimes: { wait: 41 } }, `${wait} ${steps}, in steps of 5`],
    [{ lifetimes: { wait: 30 } }, `${wait} longer than lock`],
    [{ lifetimes: 5 }, 'lifetimes: must be an object'],
    [{ mode: 'two' }, 'mode: must be "one" or "many"'],
    [{ name: 'A' }, 'name: must be a name'],
    [{ hosts: ['a', 'b', 'c'] }, 'hosts: must be a list of at most 2'],
    [{ hosts: ['a', 'B'] }, 'hosts[1]: must be a host'],
    [{ strict: 1 }, 'strict: must be true or false or a function'],
    [{ isHttps: true }, 'isHttps: must be a function'],
    [{ key: 'secret' }, 'key: must be bytes'],
    [
      { limits: { token: { limit: 1 } } },
      'limits.token.windowMs: is missing; must be a whole number of milliseconds from 1000 to 60000',
    ],
    [{ log: {} }, 'log: has no info()'],
    [{ log: { ...log, flush: 1 } }, 'log.flush: must be a function'],
    [{ log: { ...log, flsh: log.info } }, 'log.flsh: unknown, did you mean flush?'],
    [{ hooks: { onLogn: log.info } }, 'hooks.onLogn: unknown, did you mean onLogin?'],
    [{ hooks: { before: log.info } }, 'hooks.before: unknown'],
  ]
  for (const [given, fault] of rows) {
    it(`says "${fault}"`, () => {
      expect(faultsOf({ ...GIVEN, ...given })).to.deep.equal([`options.${fault}`])
    })
  }

  it('tells all faults at once, each with its path, and never a value', () => {
    try {
      DEFINITION.settle({ log, name: 'S3CRET', lifetimes: { lok: 1, wait: 0 }, mod: 1 })
      expect.fail('nothing was refused')
    } catch (error) {
      if (!(error instanceof OptionsError)) throw error
      expect(error.code).to.equal('invalid_options')
      expect(error.message).to.not.include('S3CRET')
      expect(error.faults).to.deep.equal([
        { path: 'options.mod', problem: 'unknown', hint: 'did you mean mode?' },
        { path: 'options.name', problem: 'must be a name' },
        { path: 'options.lifetimes.lok', problem: 'unknown', hint: 'did you mean lock?' },
        {
          path: 'options.lifetimes.wait',
          problem: 'must be a whole number of milliseconds from 1 to 1000, in steps of 5',
        },
      ])
    }
  })

  it('leaves an object of a class as it is, with all that it has', () => {
    class FileLog {
      lines: string[] = []
      info(line: string): void {
        this.lines.push(line)
      }
      rotate(): void {}
      flushAll = (): void => {}
    }
    class Hooks {
      count = 0
      onLogin(): void {
        this.count += 1
      }
    }
    const given = { log: new FileLog(), name: 'svc', hooks: new Hooks() }
    const settled = DEFINITION.settle(given)
    settled.hooks.onLogin?.()
    expect(settled.log).to.equal(given.log)
    expect(given.hooks.count).to.equal(1)
  })

  it('asks for what is needed inside an object that is missing', () => {
    const definition = defineOptions({
      channels: object({ mail: object({ transport: port<{ send(): void }>(['send']) }) }),
    })
    expect(() => definition.settle({})).to.throw(
      OptionsError,
      'options.channels.mail.transport: is missing; must be an object with send',
    )
  })

  it('begins paths where it is told to', () => {
    const definition = defineOptions({ port: integer(1, 65_535) }, { root: 'options.smtp' })
    expect(() => definition.settle({ port: 0 })).to.throw('options.smtp.port: must be')
  })

  it('looks at all options together once each is right', () => {
    const definition = defineOptions(
      { ssl: flag().or(false), plain: flag().or(false) },
      { check: ({ ssl, plain }) => (ssl && plain ? { ssl: 'cannot go with plain' } : undefined) },
    )
    expect(() => definition.settle({ ssl: true, plain: true })).to.throw(
      /^options\.ssl: cannot go with plain$/,
    )
    expect(() => definition.settle({ ssl: true, plain: 1 })).to.throw(
      /^options\.plain: must be true or false$/,
    )
    expect(definition.settle({ ssl: true })).to.deep.equal({ ssl: true, plain: false })
  })
})
