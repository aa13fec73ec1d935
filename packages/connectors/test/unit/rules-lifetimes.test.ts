import { DAY_MS } from '@svc/platform'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { createConnectors } from '../../src/create-connectors.ts'
import type { ConnectorsOptions } from '../../src/options.ts'

/** Timers of the platform fire at once beyond 2 147 483 647 ms: every call would time out. */
describe('lifetimes that timers stand behind', () => {
  /** Faults are told all at once, so the rest may be missing. */
  function faultsOf(lifetimes: Readonly<Record<string, number>>): string {
    try {
      createConnectors({ lifetimes } as unknown as ConnectorsOptions) // Wrong on purpose.
    } catch (error) {
      if (error instanceof TypeError) return error.message
      throw error
    }
    return ''
  }

  for (const name of ['answer', 'call', 'connect', 'lookup']) {
    it(`are a day at most: ${name}`, () => {
      expect(faultsOf({ [name]: DAY_MS })).not.to.include(name)
      expect(faultsOf({ [name]: DAY_MS + 1 })).to.include(`options.lifetimes.${name}`)
    })
  }

  it('leave the others their 30 days', () => {
    expect(faultsOf({ state: 30 * DAY_MS })).not.to.include('state')
  })
})
