import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { createSealer, sealingKeys } from '../../../src/index.ts'
import { OptionsError } from '../../../src/options.ts'

describe('sealingKeys', () => {
  let folder: string
  let file: string
  const notices: string[] = []
  const notice = (text: string): void => void notices.push(text)
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-keys-file-'))
    file = path.join(folder, 'data/keys')
    notices.length = 0
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** The message of its refusal. */
  function refusal(options: Parameters<typeof sealingKeys>[0]): string {
    try {
      sealingKeys(options)
    } catch (error) {
      expect(error).to.be.instanceOf(OptionsError)
      return (error as OptionsError).message
    }
    return expect.fail('the keys were taken')
  }

  it('makes the file once, with mode 0600, and says so', () => {
    const made = sealingKeys({ file, create: true, notice })
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(sealingKeys({ file, create: true, notice })).to.deep.equal(made)
    expect(sealingKeys({ file })).to.deep.equal(made)
    expect(notices).to.deep.equal([
      `Sealing keys were made in ${file}. Keep a copy: without them the store cannot be read.`,
    ])
    const sealer = createSealer(made)
    expect(sealer.open(sealer.seal('one', 'a'), 'a').toString()).to.equal('one')
  })

  it('makes nothing unless it is told to, and says how a file is made', () => {
    expect(refusal({ file })).to.match(
      /^options\.file: does not exist\. Make it with: .*openssl rand -base64 32/,
    )
    expect(notices).to.deep.equal([])
  })

  it('refuses a file without keys, and one whose key is no random one, without its value', () => {
    file = path.join(folder, 'keys')
    writeFileSync(file, '\n')
    const form = 'options.file: must hold kid:base64 of 32 random bytes each'
    expect(refusal({ file, create: true })).to.equal(form)
    const zero = Buffer.alloc(32).toString('base64')
    writeFileSync(file, `k1:${zero}\n`)
    expect(refusal({ file })).to.match(/^options\.file: the key k1 is not random/)
    expect(refusal({ file })).not.to.contain(zero)
    expect(refusal({ file: folder })).to.equal('options.file: cannot be read (EISDIR)')
  })
})
