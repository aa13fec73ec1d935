import { expect } from 'chai'
import { METADATA, oauthServer } from '../oauth-server.ts'

describe('POST /auth/register', () => {
  it('answers 201 with the record and its registration token', async () => {
    const { send } = await oauthServer()
    const { status, headers, body } = await send('POST', '/auth/register', { json: METADATA })
    expect(status).to.equal(201)
    expect(headers['content-type']).to.equal('application/json; charset=utf-8')
    expect(headers['cache-control']).to.equal('no-store')
    expect(Object.keys(body)).to.deep.equal([
      'client_id',
      'client_secret',
      'client_secret_expires_at',
      'registration_access_token',
      'grant_types',
      'response_types',
      'redirect_uris',
      'client_name',
      'software_id',
    ])
    expect(body).to.include({ client_secret_expires_at: 0 })
  })
})
