"""Builds services from declarations. A Protocol class declares the methods, and `Service` adds a client and handlers.

    class Kitchen(Protocol):
        async def cook(self, dish: Dish, guests: int) -> Meal: ...    a call
        def close(self) -> None: ...                                  a notice

    KITCHEN = Service(Kitchen)
    KITCHEN.client(connection)    the other end's kitchen, with the types of the declaration
    KITCHEN.handlers(kitchen)     handlers of this end, for any object that fits the declaration

Arguments and results are values that msgspec can encode (numbers, texts, bytes, enums, dataclasses and collections of
them) and paths. Nothing else can be sent: no file descriptors, and no objects that belong to one process.

Protobuf would need a message and a conversion for each value of the ports, and pydantic would make a node start more
slowly; msgspec loads in a few milliseconds.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, get_type_hints

import msgspec

from arena.errors import ProtocolError

ServiceT = TypeVar("ServiceT")


def _encode_path(value: object) -> str:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"a {type(value).__name__} cannot be sent to another process")


def _decode_path(kind: type, value: Any) -> Path:
    if kind is Path:
        return Path(value)
    raise NotImplementedError(f"a {kind.__name__} cannot be sent to another process")


_encoder = msgspec.msgpack.Encoder(enc_hook=_encode_path)


class Method:
    def __init__(self, service: type, function: Callable[..., Any]) -> None:
        hints = get_type_hints(function)
        self.name = f"{service.__name__}.{function.__name__}"
        self.is_call = inspect.iscoroutinefunction(function)
        _, *parameters = inspect.signature(function).parameters.values()
        self._signature = inspect.Signature(parameters)
        self._names = [each.name for each in parameters]
        arguments = msgspec.defstruct(function.__name__, [(name, hints[name]) for name in self._names])
        self._arguments = msgspec.msgpack.Decoder(arguments, dec_hook=_decode_path)
        self._result = msgspec.msgpack.Decoder(hints["return"], dec_hook=_decode_path)

    def bind_arguments(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return all arguments by name, with the declared defaults for those that are left out."""
        if not named and len(arguments) == len(self._names):  # binding costs more than all the rest of a notice
            return dict(zip(self._names, arguments, strict=True))
        bound = self._signature.bind(*arguments, **named)
        bound.apply_defaults()
        return bound.arguments

    def encode_arguments(self, arguments: Mapping[str, Any]) -> msgspec.Raw:
        """Raises NotImplementedError for a type that cannot be sent."""
        return msgspec.Raw(_encoder.encode(arguments))

    def decode_arguments(self, arguments: msgspec.Raw) -> list[Any]:
        """Return the arguments in the order of the declaration. Raises ProtocolError."""
        values = _decode(self._arguments, arguments)
        return [getattr(values, name) for name in self._names]

    def encode_result(self, result: object) -> msgspec.Raw:
        """Raises NotImplementedError for a type that cannot be sent."""
        return msgspec.Raw(_encoder.encode(result))

    def decode_result(self, result: msgspec.Raw) -> Any:
        """Raises ProtocolError."""
        return _decode(self._result, result)


@dataclass(frozen=True, slots=True)
class Handler:
    method: Method
    act: Callable[..., Any]

    def handle(self, arguments: msgspec.Raw) -> Any:
        """The result of a call has to be awaited; a notice has none."""
        return self.act(*self.method.decode_arguments(arguments))

    async def answer(self, arguments: msgspec.Raw) -> msgspec.Raw:
        """Raises what the method raises."""
        return self.method.encode_result(await self.handle(arguments))


Handlers = Mapping[str, Handler]


class Caller(Protocol):
    """Calls methods of another process."""

    async def call(self, method: Method, arguments: Mapping[str, Any]) -> Any: ...

    def notify(self, method: Method, arguments: Mapping[str, Any]) -> None: ...


class Service(Generic[ServiceT]):
    """A declaration, and the client and the handlers built from it."""

    def __init__(self, declaration: type[ServiceT]) -> None:
        """Inherited methods count too."""
        functions = inspect.getmembers(declaration, inspect.isfunction)
        self._methods = {name: Method(declaration, each) for name, each in functions if not name.startswith("_")}
        stubs = {name: _client_method(method) for name, method in self._methods.items()}
        self._client_class = type(f"{declaration.__name__}Client", (_Client,), stubs)

    def client(self, caller: Caller) -> ServiceT:
        """The client's methods run at the other end. A method without `async` sends a notice."""
        client: ServiceT = self._client_class(caller)
        return client

    def handlers(self, implementation: ServiceT) -> Handlers:
        return {method.name: Handler(method, getattr(implementation, name)) for name, method in self._methods.items()}


class _Client:
    def __init__(self, caller: Caller) -> None:
        self.caller = caller


def _client_method(method: Method) -> Callable[..., Any]:
    async def call(client: _Client, *arguments: Any, **named: Any) -> Any:
        return await client.caller.call(method, method.bind_arguments(arguments, named))

    def notify(client: _Client, *arguments: Any, **named: Any) -> None:
        client.caller.notify(method, method.bind_arguments(arguments, named))

    return call if method.is_call else notify


def _decode(decoder: "msgspec.msgpack.Decoder[Any]", data: msgspec.Raw) -> Any:
    try:
        return decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise ProtocolError(f"a message from the other process cannot be read: {error}") from error
