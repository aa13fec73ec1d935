export async function POST(request: Request): Promise<Response> {
  const echo: unknown = await request.json()
  return Response.json({ echo }, { headers: { 'Set-Cookie': 'theirs=1' } })
}
