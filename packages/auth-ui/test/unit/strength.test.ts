import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { GUESSES_PATH, guessesFile } from '../../build/guesses-file.ts'
import { WEBAUTHN_PATH, webauthnFile } from '../../build/webauthn-file.ts'

/** What the script of the pages exports; the compiler sees it with those. */
interface Script {
  strengthBits(passphrase: string): number
  givesAway(hint: string, passphrase: string): boolean
  judgeStrength(about: readonly string[]): {
    load(): Promise<void>
    of(passphrase: string): { level: string; reason: string }
  }
}

const url = new URL('../../app-kit/_kit/strength.js', import.meta.url).href
const { givesAway, judgeStrength, strengthBits } = (await import(url)) as Script
const OWNER = ['alice.example.com', 'Alice Martin']

describe('judgeStrength', () => {
  const judge = judgeStrength(OWNER)
  before(() => judge.load())

  /** By what is weak about them. */
  const weak: Readonly<Record<string, readonly string[]>> = {
    known: [
      'correct horse battery staple',
      'Correct-Horse-Battery-Staple!',
      'correct_horse_battery',
      'correcthorsebatterystaple',
      'c0rr3ct h0rs3 b4tt3ry st4pl3',
      'Tr0ub4dor&3',
      'correct horse battery staple 2024',
      'elpats yrettab esroh tcerroc',
      'To be, or not to be: that is the question',
      'May the Force be with you!!!',
      'The quick brown fox jumps over the lazy dog.',
      'Liberté, égalité, fraternité',
      'Portez ce vieux whisky au juge blond qui fume',
      'il était une fois',
      'Victor jagt zwölf Boxkämpfer quer über den großen Sylter Deich',
      'ohne Fleiss kein Preis',
      'Möge die Macht mit dir sein',
      'En un lugar de la Mancha',
      'Érase una vez…',
      '1qaz2wsx3edc4rfv5tgb',
      'qazwsxedcrfvtgbyhn',
    ],
    pattern: [
      'aaaaaaaaaaaaaaaaaaaaaaaa',
      'abcabcabcabcabcabcabcabc',
      'hello hello hello hello hello',
      'azertyuiopqsdfghjklm',
      'password123password123',
      '12345678901234567890',
      'poiuztrewqpoiuztrewq',
      '14/07/1789-14/07/1789',
    ],
    yours: [
      'alice.example.com',
      'ALICE.EXAMPLE.COM!',
      'Alice Martin 1984',
      'martin-alice-example',
      'alicemartinexample1',
    ],
    short: ['secret', 'qwertyuiop1234567890', 'astronomy philosophy', 'monkey dragon', 'Xk9$pQ2'],
  }
  for (const [reason, passphrases] of Object.entries(weak)) {
    for (const passphrase of passphrases) {
      it(`finds "${passphrase}" weak: ${reason}`, () => {
        expect(judge.of(passphrase)).to.deep.equal({ level: 'weak', reason })
      })
    }
  }

  const good: readonly [passphrase: string, level: string][] = [
    ['four other words entirely', 'moderate'],
    ['zebra lantern quartz', 'moderate'],
    ['kq7Vx-9fTz2pWm', 'moderate'],
    ['aB3$kL9#mN2@', 'moderate'],
    ['seven green kettles sing at dawn', 'strong'],
    ['zebra lantern quartz violin meadow', 'strong'],
    ['plume cadran hibou tisane lampe', 'strong'],
    ['Пароль Кошка Дерево Солнце', 'strong'],
    ['v9#Lq2!xTz8@Rm4$Wk7&', 'strong'],
  ]
  for (const [passphrase, level] of good) {
    it(`finds "${passphrase}" ${level}`, () => {
      expect(judge.of(passphrase).level).to.equal(level)
    })
  }

  it('takes another owner’s name for what it is there: words', () => {
    const other = judgeStrength(['bob.example.org', 'Bob'])
    return other.load().then(() => {
      expect(other.of('alice martin zebra lantern').reason).to.equal('short')
    })
  })

  it('judges the longest passphrase that the form takes', () => {
    for (const text of ['a'.repeat(1024), 'ab1'.repeat(341), 'p4$$w0rd-'.repeat(113)])
      expect(judge.of(text).level).to.be.oneOf(['weak', 'moderate', 'strong'])
  })

  it('is at ease with every sign there is', () => {
    for (const text of ['\ud800', '\u0000', '👍'.repeat(40), '‮abc', ' '.repeat(60), 'ﷺ'.repeat(30)])
      expect(judge.of(text).level).to.be.oneOf(['weak', 'moderate', 'strong'])
  })
})

describe('strengthBits', () => {
  const CASES: readonly [passphrase: string, bits: number, byCharacters: string][] = [
    ['', 0, 'none'],
    ['secret', 28.2, 'weak'],
    ['aaaaaaaaaa', 47, 'weak'],
    ['1234567890', 33.2, 'weak'],
    ['Secret12', 47.6, 'weak'],
    ['Secret123', 53.6, 'moderate'],
    ['zebra lantern', 75.5, 'moderate'],
    ['zebra lantern qua', 98.7, 'moderate'],
    ['zebra lantern quar', 104.5, 'strong'],
    ['é€ß', 14.7, 'weak'],
    ['👍👍', 9.8, 'weak'],
  ]
  for (const [passphrase, bits, level] of CASES) {
    it(`counts "${passphrase}" as ${level} until what is known of passphrases is loaded`, () => {
      expect(strengthBits(passphrase)).to.be.closeTo(bits, 0.1)
      expect(judgeStrength([]).of(passphrase).level).to.equal(level)
    })
  }
})

describe('givesAway', () => {
  const CASES: readonly [hint: string, passphrase: string, isGiven: boolean][] = [
    ['', 'horse staple', false],
    ['the horse', 'horse staple', false],
    ['horse staple', 'horse staple', true],
    ['it is Horse Staple!', 'horse staple', true],
    ['anything', '', false],
  ]
  for (const [hint, passphrase, isGiven] of CASES) {
    it(`is ${isGiven} for the reminder "${hint}"`, () => {
      expect(givesAway(hint, passphrase)).to.equal(isGiven)
    })
  }
})

describe('webauthn.js of the pages', () => {
  it('is what the build makes of the package', async () => {
    expect(await webauthnFile()).to.equal(readFileSync(WEBAUTHN_PATH, 'utf8'))
  }).timeout(60_000)
})

describe('guesses.js of the kit', () => {
  const file = readFileSync(GUESSES_PATH, 'utf8')

  it('is what the build makes of the packages and phrases', async () => {
    expect(await guessesFile()).to.equal(file)
  }).timeout(60_000)

  it('leaves room for a page within 50 kB', () => {
    expect(gzipSync(file, { level: 9 }).length).to.be.below(29_500)
  })
})
