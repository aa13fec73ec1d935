import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { checkLanguage, skeletonOf } from '../../src/cli/language-files.ts'
import { readCatalogues } from '../../src/messages.ts'

const COMMAND = fileURLToPath(new URL('../../src/cli/svc-locale.ts', import.meta.url))

describe('svc-locale', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-locale-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = (file: string, texts: object): void =>
    writeFileSync(join(folder, file), JSON.stringify(texts))

  it('lists what is missing, extra, unparsable and has wrong placeholders', () => {
    write('pages.json', {
      'login.title': 'Hallo',
      'login.titel': 'Hallo',
      'login.submit': 'Hallo {',
      'consent.title': 'Toestaan?',
      '//login.forgot': 'Forgot your passphrase?',
      'login.forgot': '',
    })
    const [pages, home, settings] = checkLanguage(folder, 'nl')
    expect(pages?.missing).to.include('login.forgot').and.not.include('login.title')
    expect(pages?.faults).to.deep.equal([
      ['login.titel', 'unknown, did you mean login.title?'],
      ['login.submit', 'is no ICU message'],
      ['consent.title', 'lacks placeholders: {name}'],
    ])
    expect(home?.file).to.equal('home.json')
    // Each form of the language, whatever English has.
    const arabic = checkLanguage(folder, 'ar')[2]
    expect(arabic?.missing).to.include('overview.others_two').and.to.include('overview.others_few')
    expect(settings?.missing).not.to.include('overview.others_two')
  })

  it('has nothing to say of the languages of the package', () => {
    const french = readCatalogues().get('fr') ?? {}
    write('pages.json', french)
    const [pages] = checkLanguage(folder, 'fr')
    expect(pages?.missing).to.deep.equal([])
    expect(pages?.faults).to.deep.equal([])
  })

  it('writes a skeleton with the English text beside each key, and keeps what is there', () => {
    write('pages.json', { 'login.title': 'Hallo' })
    const pages = JSON.parse(skeletonOf(folder, 'nl').get('pages.json') ?? '') as object
    expect(pages).to.include({
      '//login.title': 'Log in',
      'login.title': 'Hallo',
      '//login.forgot': 'Forgot your passphrase?',
      'login.forgot': '',
    })
  })

  it('is a command that fails while something is missing', () => {
    const path = join(folder, 'nl')
    const run = (...given: string[]): string =>
      execFileSync(process.execPath, ['--conditions=source', COMMAND, ...given], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    expect(run('skeleton', path)).to.include('pages.json')
    expect(readFileSync(join(path, 'pages.json'), 'utf8')).to.include('"//login.title": "Log in"')
    expect(() => run('check', path))
      .to.throw()
      .with.property('status', 1)
    expect(() => run('check', path, '--locale', '../x'))
      .to.throw()
      .with.property('status', 2)
    expect(() => run('check'))
      .to.throw()
      .with.property('status', 2)
  })
})
