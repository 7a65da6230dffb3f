"""What the firmware uses of the module `camera` of cnadler86/micropython-camera-API (its README)."""

class PixelFormat:
    GRAYSCALE: int

class FrameSize:
    QQVGA: int
    QVGA: int
    VGA: int

class GrabMode:
    WHEN_EMPTY: int
    LATEST: int

class Camera:
    def __init__(
        self,
        *,
        pixel_format: int = ...,
        frame_size: int = ...,
        grab_mode: int = ...,
        fb_count: int = ...,
        data_pins: list[int] = ...,
        vsync_pin: int = ...,
        href_pin: int = ...,
        pclk_pin: int = ...,
        xclk_pin: int = ...,
        sda_pin: int = ...,
        scl_pin: int = ...,
        xclk_freq: int = ...,
        powerdown_pin: int = ...,
        reset_pin: int = ...,
    ) -> None: ...
    def capture(self) -> memoryview | None: ...
    def frame_available(self) -> bool: ...
    def free_buffer(self) -> None: ...
    def deinit(self) -> None: ...
    def set_exposure_ctrl(self, value: bool) -> None: ...
    def set_aec2(self, value: bool) -> None: ...
    def set_aec_value(self, value: int) -> None: ...
    def set_gain_ctrl(self, value: bool) -> None: ...
    def set_agc_gain(self, value: int) -> None: ...
