import { expect } from 'chai'
import { type CodedError, defineErrors, type ErrorClass } from '../../src/index.ts'

const ROWS = {
  box_full: { status: 503, description: 'the box is full', text: 'Try again.', source: 'x 1' },
  crashed: { status: 500, isHidden: true, text: 'The log says more.', source: 'x 2' },
  malformed: { status: 400, text: 'The description names it.', source: 'x 3' },
  wrong_stamp: { status: 422, title: 'Wrong Stamp', text: 'Use another.', source: 'x 4' },
} as const

type CourierErrorCode = keyof typeof ROWS
const CourierError: ErrorClass<CourierErrorCode> = defineErrors('CourierError', ROWS)
type CourierError = CodedError<CourierErrorCode>

describe('defineErrors', () => {
  it('says what the row says', () => {
    const error = new CourierError('box_full')
    expect(error).to.be.instanceOf(Error).and.instanceOf(CourierError)
    expect(error).to.deep.include({
      name: 'CourierError',
      code: 'box_full',
      status: 503,
      expose: true,
      description: 'the box is full',
      message: 'the box is full',
    })
    expect(error).not.to.have.any.keys('detail', 'headers', 'errors')
    expect(CourierError.name).to.equal('CourierError')
    expect(CourierError.rows).to.equal(ROWS)
  })

  it('says more when it is told to', () => {
    const cause = new Error('inside')
    const error = new CourierError('malformed', {
      status: 413,
      description: 'too long',
      detail: 'of Alice',
      headers: { Allow: 'GET' },
      retryAfterS: 5,
      cause,
    })
    expect(error).to.deep.include({
      status: 413,
      description: 'too long',
      detail: 'of Alice',
      cause,
      headers: { Allow: 'GET', 'Retry-After': '5' },
    })
  })

  it('sends nothing but the code of what is hidden', () => {
    expect(new CourierError('crashed', { description: 'secret' }).expose).to.equal(false)
    expect(new CourierError('crashed').message).to.equal('crashed')
  })

  it('has an error object where the table has a title, with a pointer to what is wrong', () => {
    const error = new CourierError('wrong_stamp', { description: 'too old', pointer: '/stamp' })
    expect(error.errors).to.deep.equal([
      {
        code: 'wrong_stamp',
        title: 'Wrong Stamp',
        detail: 'too old',
        source: { pointer: '/stamp' },
      },
    ])
    expect(new CourierError('wrong_stamp').errors).to.deep.equal([
      { code: 'wrong_stamp', title: 'Wrong Stamp' },
    ])
  })

  it('tells several things that are wrong in one error with the status of the first', () => {
    const error = CourierError.ofAll(
      [
        { code: 'wrong_stamp', pointer: '/stamp' },
        { code: 'malformed', description: 'no address' },
      ],
      { retryAfterS: 1 },
    )
    expect([error.code, error.status, error.headers]).to.deep.equal([
      'wrong_stamp',
      422,
      { 'Retry-After': '1' },
    ])
    expect(error.errors).to.deep.equal([
      { code: 'wrong_stamp', title: 'Wrong Stamp', source: { pointer: '/stamp' } },
      { code: 'malformed', title: 'no address', detail: 'no address' },
    ])
  })

  it('recognises its own errors, those of another copy and of classes below, and no others', () => {
    const Copy: ErrorClass<CourierErrorCode> = defineErrors('CourierError', ROWS)
    const Other: ErrorClass<CourierErrorCode> = defineErrors('OtherError', ROWS)
    class PostError extends CourierError {
      override readonly name: string = 'PostError'
    }
    for (const own of [
      new CourierError('box_full'),
      new Copy('box_full'),
      new PostError('box_full'),
    ]) {
      expect(CourierError.is(own)).to.equal(true)
      expect(CourierError.is(own, 'malformed', 'box_full')).to.equal(true)
      expect(CourierError.is(own, 'malformed')).to.equal(false)
    }
    const shape = { name: 'CourierError', code: 'box_full' }
    for (const foreign of [new Other('box_full'), new Error('box_full'), shape, undefined]) {
      expect(CourierError.is(foreign)).to.equal(false)
    }
  })
})
