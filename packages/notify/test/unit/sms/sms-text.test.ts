import { expect } from 'chai'
import { parsePhoneNumber } from '../../../src/channels/sms/sms-channel.ts'
import { fitText } from '../../../src/channels/sms/sms-text.ts'

describe('texts (10.1 "length")', () => {
  it('have at most 160 characters: 157 and three dots', () => {
    expect(fitText('x'.repeat(160), {})).to.deep.equal({ text: 'x'.repeat(160) })
    expect(fitText('x'.repeat(161), {})).to.deep.equal({ text: `${'x'.repeat(157)}...` })
  })

  it('have the length of their provider (D50)', () => {
    expect(fitText('x'.repeat(200), { maxLength: 300 })).to.deep.equal({ text: 'x'.repeat(200) })
    expect(fitText('x'.repeat(200), { maxLength: 20 })).to.deep.equal({
      text: `${'x'.repeat(17)}...`,
    })
  })

  it('are not cut within what is read as one character', () => {
    const family = '👩‍👩‍👧‍👦'
    const fitted = fitText(`${'x'.repeat(152)}${family}${'y'.repeat(20)}`, {})
    expect(fitted).to.deep.equal({ text: `${'x'.repeat(152)}...` })
    expect(fitText('👍'.repeat(160), {})).to.deep.equal({ text: '👍'.repeat(160) })
    expect(fitText('👍'.repeat(161), {})).to.deep.equal({ text: `${'👍'.repeat(157)}...` })
  })

  it('are left to the next channel when they are too long, if the operator wants that', () => {
    expect(fitText('x'.repeat(161), { overflow: 'fallback' })).to.deep.equal({ fault: 'too_long' })
    expect(fitText('x'.repeat(160), { overflow: 'fallback' })).to.have.property('text')
  })

  it('go out as they are, if the operator wants that', () => {
    expect(fitText('x'.repeat(1000), { overflow: 'split' })).to.deep.equal({
      text: 'x'.repeat(1000),
    })
  })

  it('are not sent without words', () => {
    for (const text of ['', '  ', '\n\t ']) {
      for (const overflow of ['truncate', 'fallback', 'split'] as const) {
        expect(fitText(text, { overflow })).to.deep.equal({ fault: 'no_message' })
      }
    }
  })
})

describe('phone numbers (10.1 "number")', () => {
  const accepted: readonly (readonly [written: string, number: string])[] = [
    ['+33612345678', '+33612345678'],
    ['+33 6 12.34-56 (78)', '+33612345678'],
    ['+33\u00a06\u201112\u201134\u201156\u201178', '+33612345678'],
    ['+1234567', '+1234567'],
    ['+123456789012345', '+123456789012345'],
  ]
  for (const [written, number] of accepted) {
    it(`reads ${written}`, () => {
      expect(parsePhoneNumber(written)).to.equal(number)
    })
  }

  const refused = [
    '0612345678',
    '0033612345678',
    '+0612345678',
    '+123456',
    '+1234567890123456',
    '+33612345678;+33687654321',
    '+33612345678\r\nX: y@',
    '+3361234567a',
    '++33612345678',
    '+٣٣٦١٢٣٤٥٦٧٨',
    '',
    `+33612345678${' '.repeat(100)}`,
  ]
  for (const written of refused) {
    it(`refuses ${JSON.stringify(written.slice(0, 30))}`, () => {
      expect(parsePhoneNumber(written)).to.equal(undefined)
    })
  }
})
