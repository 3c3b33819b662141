// Polls a report with Node's fetch: a line for every response, "pending" after so many polls, and then on until it is done.
const [base, path, authorization, polls] = process.argv.slice(2);

async function get(target, id) {
  const response = await fetch(base + target, { headers: { authorization, "x-request-id": id } });
  const body = await response.text();
  console.log(JSON.stringify([target, id, response.status, response.headers.get("x-request-id"), body]));
  return response.status;
}

for (let number = 0; number < Number(polls); number++) {
  await get(path, `poll-${number}`);
  if (number % 10 === 9) await get("/health/live", `live-${number}`);
}
console.log("pending");
while ((await get(path, "end")) !== 200);
